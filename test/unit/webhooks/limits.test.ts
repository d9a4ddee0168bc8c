import { expect, test } from 'vitest'
import { RETRY_SCHEDULE, retryDelay } from '../../../src/webhooks/limits.ts'

const WAITS = RETRY_SCHEDULE.slice(1)
const MINUTE = 60_000
const delaysAt = (random: number, failure = {}): (number | null)[] =>
  RETRY_SCHEDULE.map((_, step) => retryDelay(step, failure, () => random))

test('a retry waits for 80 to 120 percent of the time in the schedule, and the last attempt has none', () => {
  for (const [random, share] of [
    [0, 0.8],
    [0.5, 1],
    [0.75, 1.1],
  ] as const)
    expect(delaysAt(random)).toEqual([...WAITS.map((wait) => Math.round(wait * share)), null])
})

test('a longer Retry-After counts, and a blocked address waits for half an hour', () => {
  const paused = delaysAt(0.5, { retryAfterMs: 10 * MINUTE })
  expect(paused.slice(0, 3)).toEqual([10 * MINUTE, 10 * MINUTE, 30 * MINUTE])
  expect(delaysAt(0, { errorCode: 'ssrf_blocked' }).slice(0, 2)).toEqual([30 * MINUTE, 30 * MINUTE])
})
