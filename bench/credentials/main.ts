import { createTestIssuer } from '../../test/support/identity/issuer.ts'
import { saveResult, compareRates } from '../support/result.ts'
import { spread } from '../support/statistics.ts'
import { measureEventLoop } from './event-loop.ts'
import { measureThroughput, ROUNDS } from './throughput.ts'

const issuer = createTestIssuer('bench')
const eventLoop: Awaited<ReturnType<typeof measureEventLoop>>[] = []
for (let round = 0; round < ROUNDS; round += 1) eventLoop.push(await measureEventLoop(issuer))
const verifications = await measureThroughput(issuer)
const comparisons = verifications.map(({ model, suite, ours, theirs }) =>
  compareRates(
    { work: `verify ${suite}, model ${model}`, against: '@digitalbazaar/vc', unit: 'credentials/s' },
    ours,
    theirs,
  ),
)
const figures = (['idle', 'worst'] as const).map((load) => ({
  figure: `event loop delay, ${load}`,
  value: spread(eventLoop.map((round) => round[load].p99Ms)),
  unit: 'ms p99',
}))
saveResult('credentials', { comparisons, figures }, { eventLoop, verifications })
