import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

/** Unit tests, and tests of the HTTP interface on a real database and ledger. `npm test`. */
export default defineConfig({
  root: fileURLToPath(new URL('..', import.meta.url)),
  resolve: {
    // Vite would load graphql's development copy for our sources while libraries load the other one: two realms.
    alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
  },
  test: {
    include: ['test/{unit,api}/**/*.test.ts', 'packages/*/test/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // Nothing here patches a module, and loading Solana's and GraphQL's anew for each file would cost most of the time.
    isolate: false,
    maxWorkers: '100%',
    testTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    hookTimeout: 60_000,
  },
})
