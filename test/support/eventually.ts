import { vi } from 'vitest'

/** Waits until `check` no longer throws, with the time that a machine under load needs; vitest's own second is for idle ones. */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000 })
