import { mergeConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** Proofs that take minutes: properties over thousands of cases, crashes under load. `npm run test:long`. */
const long = mergeConfig(config, {
  test: {
    testTimeout: 900_000,
    hookTimeout: 120_000,
    // Each brings processes and load of its own, and waits for much of its time.
    maxWorkers: 2,
  },
})

// A merge would add to the list of the short ones.
long.test.include = ['test/long/**/*.long.ts']

export default long
