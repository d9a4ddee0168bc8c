import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { scaled, SLOWNESS } from './support/machine-speed.ts'

/** Unit tests, and tests of the HTTP interface with a real database and ledger. `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: {
    // Without the alias our sources load graphql's development build, and libraries load the other
    // one.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    include: ['test/{unit,api}/**/*.test.ts', 'packages/*/test/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // No test replaces a module. Loading Solana's and GraphQL's libraries for each file would take
    // most of the time.
    isolate: false,
    // Some tests wait for timers and processes: one more worker than cores keeps the cores busy.
    maxWorkers: availableParallelism() + 1,
    env: { TEST_SLOWNESS: String(SLOWNESS) },
    // Long, because they end only tests that fail: no test has one of its own without a reason.
    testTimeout: scaled(120_000),
    hookTimeout: scaled(60_000),
    expect: { poll: { timeout: scaled(60_000), interval: 20 } },
  },
})
