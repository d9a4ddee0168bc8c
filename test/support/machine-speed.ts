import { createHash } from 'node:crypto'

/** The time to hash 128 MB on the machine that the time-outs were chosen on, without other work. */
const USUAL_MS = 90
const MAX_SLOWNESS = 10

/** How many times slower this machine is now, other work included. At least 1. */
function measureSlowness(): number {
  const block = Buffer.alloc(1_048_576)
  const startedAt = performance.now()
  for (let i = 0; i < 128; i += 1) createHash('sha256').update(block).digest()
  return Math.min(Math.max((performance.now() - startedAt) / USUAL_MS, 1), MAX_SLOWNESS)
}

/** Measured once in a run: the configuration of Vitest gives it to its workers. */
export const SLOWNESS = Number(process.env['TEST_SLOWNESS'] ?? measureSlowness())

/** Scales a time-out, or the longest time that a step may take, to the speed of this machine. */
export const scaled = (ms: number): number => Math.round(ms * SLOWNESS)
