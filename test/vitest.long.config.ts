import { availableParallelism } from 'node:os'
import { mergeConfig } from 'vitest/config'
import { scaled } from './support/machine-speed.ts'
import config from './vitest.config.ts'

/** Tests that take minutes: thousands of random cases, crashes under load. `npm run test:long`. */
const long = mergeConfig(config, {
  test: {
    // They wait more than other tests: for processes, expired leases and slots.
    maxWorkers: availableParallelism() + 2,
    testTimeout: scaled(900_000),
    hookTimeout: scaled(300_000),
  },
})

// `mergeConfig` would append to the list of the other configuration.
long.test.include = ['test/long/**/*.long.ts', 'packages/*/test/*.long.ts']

export default long
