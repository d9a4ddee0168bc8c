import { expect } from 'vitest'

/** Repeats the assertion until it holds; patient, since several suites may share the machine. */
export const eventually = <T>(read: () => T) => expect.poll(read, { timeout: 15_000, interval: 10 })
