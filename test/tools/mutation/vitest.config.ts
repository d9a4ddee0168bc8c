import config from '../../vitest.config.ts'

/** The tests of one folder, see run.ts. */
config.test!.include = JSON.parse(process.env.MUTATION_TESTS!) as string[]
config.test!.testTimeout = 10_000

export default config
