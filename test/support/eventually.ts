import { vi } from 'vitest'
import { scaled } from './machine-speed.ts'

export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: scaled(20_000), interval: 20 })
