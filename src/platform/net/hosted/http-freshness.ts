import type { IncomingHttpHeaders } from 'node:http'

/**
 * How long a shared cache may use a response, in milliseconds (RFC 9111, section 4.2). 0 if it must
 * not. Null if the headers do not say.
 */
export function httpFreshness(headers: IncomingHttpHeaders): number | null {
  const directives = parseCacheControl(headers['cache-control'] ?? '')
  if (['no-store', 'no-cache', 'private'].some((name) => directives.has(name))) return 0
  const maxAge = directives.get('s-maxage') ?? directives.get('max-age')
  const lifetime = maxAge === undefined ? expiresAfter(headers) : seconds(maxAge)
  return lifetime === null ? null : Math.max(0, lifetime - seconds(headers.age ?? '0'))
}

function parseCacheControl(text: string): Map<string, string> {
  const parts = text.split(',').map((part) => part.trim().split('='))
  return new Map(parts.map(([name = '', value = '']) => [name.toLowerCase(), value]))
}

/** Milliseconds. An invalid number counts as 0, so that the response is not kept. */
function seconds(text: string): number {
  const digits = /^"?(\d{1,10})"?$/.exec(text)?.[1]
  return digits === undefined ? 0 : Number(digits) * 1_000
}

/** By the host's clock, because ours may differ. An invalid date counts as past. */
function expiresAfter({ expires, date }: IncomingHttpHeaders): number | null {
  if (expires === undefined) return null
  const ms = Date.parse(expires) - Date.parse(date ?? '')
  return Number.isNaN(ms) ? 0 : ms
}
