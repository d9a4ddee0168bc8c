import type { HttpResponse } from '../../platform/net/guarded-http.ts'

/** Text formats. Other types and compressed bodies are not stored. */
const TEXT_TYPES = /^(text\/.+|application\/([\w.-]+\+)?(json|xml)|application\/x-www-form-urlencoded)$/

/** Characters of a response that the delivery log stores and shows. */
export const MAX_EXCERPT = 1_000

/** The start of a text response for the delivery log, without NUL. */
export function excerptOf({ headers, body, truncated }: HttpResponse): string | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const encoding = headers['content-encoding'] ?? 'identity'
  if (body.length === 0 || !TEXT_TYPES.test(type) || encoding !== 'identity') return undefined
  // With `stream`, a character cut in half at the end is left out.
  const text = new TextDecoder().decode(body, { stream: truncated }).replaceAll('\0', '')
  return Array.from(text).slice(0, MAX_EXCERPT).join('')
}

export const MIN_RETRY_AFTER_MS = 1_000
export const MAX_RETRY_AFTER_MS = 3_600_000

/** The current HTTP date format. Date.parse alone accepts almost any text. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * Reads `Retry-After` (RFC 9110, 10.2.3): seconds or a date, limited to 1 s to 1 h. Returns
 * undefined for any other value. `now` is in milliseconds since the epoch.
 */
export function retryAfterMs(value: unknown, now: number): number | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  let wait: number
  if (/^\d+$/.test(text)) wait = Number(text) * 1000
  else if (HTTP_DATE.test(text)) wait = Date.parse(text) - now
  else return undefined
  if (Number.isNaN(wait)) return undefined
  return Math.min(Math.max(wait, MIN_RETRY_AFTER_MS), MAX_RETRY_AFTER_MS)
}
