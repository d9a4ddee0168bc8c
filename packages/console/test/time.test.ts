import { expect, test } from 'vitest'
import { relativeTime } from '../src/ui/time.tsx'

const [MINUTE, HOUR, DAY] = [60, 3_600, 86_400]

test.each([
  [0, 'just now'],
  [-9.9, 'just now'],
  [-10, '10 seconds ago'],
  [-59.4, '59 seconds ago'],
  [-59.6, '1 minute ago'],
  [-59.4 * MINUTE, '59 minutes ago'],
  [-59.6 * MINUTE, '1 hour ago'],
  [-23.4 * HOUR, '23 hours ago'],
  [-23.9 * HOUR, '1 day ago'],
  [-29.4 * DAY, '29 days ago'],
  [-30 * DAY, '1 month ago'],
  [-364 * DAY, '1 year ago'],
  [-800 * DAY, '2 years ago'],
  [90, 'in 2 minutes'],
  [1.2 * DAY, 'in 1 day'],
])('%s seconds from now is "%s"', (seconds, text) => {
  expect(relativeTime(1e12 + seconds * 1_000, 1e12)).toBe(text)
})
