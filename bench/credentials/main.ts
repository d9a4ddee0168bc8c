import { createTestIssuer } from '../../test/support/credentials/issuer.ts'
import { saveResult, compareRates } from '../support/result.ts'
import { measureEventLoop } from './event-loop.ts'
import { measureThroughput } from './throughput.ts'

const issuer = createTestIssuer('bench')
const eventLoop = await measureEventLoop(issuer)
const verifications = await measureThroughput(issuer)
const comparisons = verifications.map(({ model, suite, ours, theirs, timesTheirs }) =>
  compareRates(
    { work: `verify ${suite}, model ${model}`, against: '@digitalbazaar/vc', unit: 'credentials/s' },
    ours,
    theirs,
    timesTheirs,
  ),
)
const figures = (['idle', 'worst'] as const).map((load) => ({
  figure: `event loop delay, ${load}`,
  value: eventLoop[load].p99Ms,
  unit: 'ms p99',
}))
saveResult('credentials', { comparisons, figures }, { eventLoop, verifications })
