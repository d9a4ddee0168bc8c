import { expect } from 'vitest'

/** Repeats the assertion until it holds. The time is long enough for a busy machine. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000, interval: 10 })
