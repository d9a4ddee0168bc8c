import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The tests replace no modules. Loading the VM for each file would take most of the time.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
})
