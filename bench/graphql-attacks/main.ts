import { ATTACKS } from '../../test/support/graphql-attacks.ts'

/**
 * How long a running service (BENCH_URL) takes to refuse each attack, in milliseconds as a client sees it, the requests one after
 * the other. `nothing` is the smallest query there is.
 */
const url = `${process.env['BENCH_URL'] ?? 'http://127.0.0.1:3000'}/graphql`
const rounds = Number(process.env['BENCH_ROUNDS'] ?? 100)
const cases = [{ name: 'nothing', body: '{"query":"{ __typename }"}' }, ...ATTACKS]
const times = new Map(cases.map(({ name }) => [name, [] as number[]]))

for (let round = -5; round < rounds; round += 1) {
  for (const { name, body } of cases) {
    const begin = performance.now()
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    await response.text()
    if (response.status === 429) throw new Error('Start the service with RATE_LIMITS=off')
    // The first rounds warm up.
    if (round >= 0) times.get(name)?.push(performance.now() - begin)
  }
}

for (const [name, taken] of times) {
  const sorted = taken.toSorted((a, b) => a - b)
  const at = (share: number): string =>
    (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(2).padStart(8)
  process.stdout.write(
    `${name.padEnd(26)} median ${at(0.5)} ms   p95 ${at(0.95)} ms   max ${at(0.9999)} ms\n`,
  )
}
