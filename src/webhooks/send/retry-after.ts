const LEAST_MS = 1_000
const MOST_MS = 3_600_000

/** `Retry-After` (RFC 9110, 10.2.3): seconds, or a date. Between 1 s and 1 h; undefined for anything else. `now`: milliseconds since the epoch. */
export function retryAfterMs(value: unknown, now: number): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  const wait = /^\d+$/.test(text) ? Number(text) * 1000 : HTTP_DATE.test(text) ? Date.parse(text) - now : NaN
  return Number.isNaN(wait) ? undefined : Math.min(Math.max(wait, LEAST_MS), MOST_MS)
}

/** The form that is sent today; Date.parse alone would read nearly anything as some date. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
