import type { HttpResponse } from '../../platform/net/guarded-http.ts'

/** Types that are text for people. Everything else a receiver answers is not shown, nor what is compressed. */
const TEXT_TYPES = /^(text\/.+|application\/([\w.-]+\+)?(json|xml)|application\/x-www-form-urlencoded)$/

/** What the owner of the webhook is shown of the answer: at most the 16 KiB that were kept, as UTF-8 without NUL. */
export function excerptOf({ headers, body, truncated }: HttpResponse): string | undefined {
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const encoding = headers['content-encoding'] ?? 'identity'
  if (body.length === 0 || !TEXT_TYPES.test(type) || encoding !== 'identity') return undefined
  // `stream` leaves out a character that the cut went through.
  return new TextDecoder().decode(body, { stream: truncated }).replaceAll('\0', '')
}
