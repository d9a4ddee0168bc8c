import { ATTACKS } from '../../test/support/graphql-attacks.ts'
import { startBenchGateway } from '../gateway.ts'
import { saveResult } from '../support/result.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 100)
const WARM_UP = 10
/** The smallest query there is, for comparison. */
const NOTHING = { name: 'nothing', body: '{"query":"{ __typename }"}', status: 200, refusal: '__typename' }

// Nested pages are counted only for existing agents.
const gateway = await startBenchGateway({ SEED_AGENTS: '24' })
const cases = [NOTHING, ...ATTACKS].map((attack) => ({ attack, taken: [] as number[] }))
for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
  for (const { attack, taken } of cases) {
    const { name, body, status, refusal } = attack
    const begin = performance.now()
    const response = await fetch(`${gateway.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // No document is sent twice, because refusals are cached like documents.
      body: body.replace('"query":"', `"query":"#${round}\\n`),
    })
    const answer = await response.text()
    if (round >= WARM_UP) taken.push(performance.now() - begin)
    if (response.status !== status || !answer.includes(JSON.stringify(refusal).slice(1, -1)))
      throw new Error(`${name} was answered ${response.status} ${answer.slice(0, 500)}`)
  }
}
await gateway.stop()

const percentile = (values: number[], percent: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return Number((sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0).toFixed(2))
}
const refusals = cases.map(({ attack: { name, refusal }, taken }) => ({
  name,
  limit: name === NOTHING.name ? null : refusal,
  medianMs: percentile(taken, 50),
  p99Ms: percentile(taken, 99),
}))
const figures = refusals.map(({ name, limit, medianMs }) => ({
  figure: limit === null ? `${name}: the smallest query` : `${name}: ${limit}`,
  value: medianMs,
  unit: 'ms p50',
}))
saveResult('graphql-attacks', { figures }, { rounds: ROUNDS, refusals })
process.exit(0)
