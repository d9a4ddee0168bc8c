import { availableParallelism } from 'node:os'
import config from './vitest.config.ts'

/**
 * Failing nodes, databases and clients, races, fuzzing and whole processes. `npm run test:faults`.
 */
// They wait more than other tests: for time limits, processes and clients that are slow on purpose.
config.test!.maxWorkers = availableParallelism() + 2
config.test!.include = ['test/faults/**/*.test.ts', 'packages/*/test/faults/*.test.ts']

export default config
