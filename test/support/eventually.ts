import { vi } from 'vitest'
import { patience } from './patience.ts'

/** Waits until `check` no longer throws. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: patience(20_000), interval: 20 })
