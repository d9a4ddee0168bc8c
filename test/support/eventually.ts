import { vi } from 'vitest'

/**
 * Waits until `check` no longer throws. Vitest's default of one second is too short for a machine
 * under load.
 */
export const eventually = <T>(check: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(check, { timeout: 20_000 })
