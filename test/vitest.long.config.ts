import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { mergeConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { scaled } from './support/machine-speed.ts'
import config from './vitest.config.ts'

/** If one of these began last, the other workers would wait for it. */
const LONGEST = [
  'webhook-crash',
  'stop',
  'registry',
  'ledger-model',
  'fee-payer',
  'four-faces',
  'quickstart',
  'event-changes',
]

for (const name of LONGEST)
  if (!existsSync(new URL(`long/${name}.long.ts`, import.meta.url)))
    throw new Error(`there is no test ${name}`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isShort = ({ moduleId }: TestSpecification): boolean =>
      !LONGEST.some((name) => moduleId.endsWith(`/${name}.long.ts`))
    return (await super.sort(files)).toSorted((one, other) => Number(isShort(one)) - Number(isShort(other)))
  }
}

/** Tests that take minutes: thousands of random cases, crashes under load. `npm run test:long`. */
const long = mergeConfig(config, {
  test: {
    // They wait more than other tests: for processes, expired leases and slots.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
    testTimeout: scaled(900_000),
    hookTimeout: scaled(300_000),
  },
})

// `mergeConfig` would append to the list of the other configuration.
long.test.include = ['test/long/**/*.long.ts', 'packages/*/test/*.long.ts']

export default long
