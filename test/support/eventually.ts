import { vi } from 'vitest'
import { scaled } from './machine-speed.ts'

/** Long, because it ends only tests that fail. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: scaled(60_000), interval: 20 })
