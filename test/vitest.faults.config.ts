import config from './vitest.config.ts'

/**
 * Failing nodes, databases and clients, races, fuzzing and whole processes. `npm run test:faults`.
 */
config.test!.include = ['test/faults/**/*.test.ts', 'packages/*/test/faults/*.test.ts']

export default config
