import { ATTACKS } from '../../test/support/graphql-attacks.ts'
import { startBenchGateway } from '../gateway.ts'
import { saveResult } from '../support/result.ts'
import { median, spread } from '../support/statistics.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** Of each attack, in each round. */
const REPEATS = Number(process.env.BENCH_REPEATS ?? 20)
const WARM_UP = 10
/** The smallest query there is, for comparison. */
const NOTHING = { name: 'nothing', body: '{"query":"{ __typename }"}', status: 200, refusal: '__typename' }

// Nested pages are counted only for existing agents.
const gateway = await startBenchGateway({ SEED_AGENTS: '24' })
const cases = [NOTHING, ...ATTACKS].map((attack) => ({ attack, taken: [] as number[] }))
for (let turn = 0; turn < WARM_UP + ROUNDS * REPEATS; turn += 1) {
  for (const { attack, taken } of cases) {
    const { name, body, status, refusal } = attack
    const begin = performance.now()
    const response = await fetch(`${gateway.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      // No document is sent twice, because refusals are cached like documents.
      body: body.replace('"query":"', `"query":"#${turn}\\n`),
    })
    const answer = await response.text()
    if (turn >= WARM_UP) taken.push(performance.now() - begin)
    if (response.status !== status || !answer.includes(JSON.stringify(refusal).slice(1, -1)))
      throw new Error(`${name} was answered ${response.status} ${answer.slice(0, 500)}`)
  }
}
await gateway.stop()

const figures = cases.map(({ attack: { name, refusal }, taken }) => ({
  figure: name === NOTHING.name ? `${name}: the smallest query` : `${name}: ${refusal}`,
  value: spread(
    Array.from({ length: ROUNDS }, (_, round) => median(taken.slice(round * REPEATS, (round + 1) * REPEATS))),
  ),
  unit: 'ms p50',
}))
saveResult('graphql-attacks', { figures }, { rounds: ROUNDS, repeats: REPEATS })
process.exit(0)
