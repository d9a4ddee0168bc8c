import { DomainError } from '../domain/errors.ts'
import { enumParameter } from '../domain/parameters.ts'
import { quoted } from '../domain/quoted.ts'
import { siteOf } from '../domain/site.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../domain/webhook-events.ts'
import { urlProblem } from '../platform/net/check-url.ts'
import type { GuardedHttp } from '../platform/net/guarded-http.ts'

/** Returns why a URL cannot be a receiver, for example `must use https`. Null if it can. */
export type ReceiverProblem = (url: string) => string | null

const eventType = enumParameter(WEBHOOK_EVENT_TYPES)

/**
 * Normalizes the URL, so that limits count each site once. Throws URL_REQUIRED, RECEIVER_REFUSED.
 */
export function readUrl(value: unknown, receiverProblem: ReceiverProblem): string {
  if (value === undefined || value === null) throw new DomainError('URL_REQUIRED')
  const problem = textProblem(value, receiverProblem)
  if (problem === null) return new URL(value as string).href
  throw new DomainError('RECEIVER_REFUSED', { parameter: 'url', problem, value: quoted(value) })
}

/** The site of a normalized URL. */
export const siteOfUrl = (url: string): string => siteOf(new URL(url).hostname)

function textProblem(value: unknown, receiverProblem: ReceiverProblem): string | null {
  if (typeof value !== 'string') return 'must be text'
  // URL parsers silently remove some other characters, so the stored URL would differ from the
  // input.
  if (!/^[\x21-\x7e]+$/.test(value))
    return 'must be an absolute URL in printable ASCII, all else in percent-encoding'
  return receiverProblem(value)
}

/**
 * Returns the types in the order of the contract. Throws EVENT_TYPES_REQUIRED, EVENT_TYPES_EMPTY,
 * INVALID_ENUM, EVENT_TYPE_REPEATED.
 */
export function readEventTypes(value: unknown): WebhookEventType[] {
  if (!Array.isArray(value)) throw new DomainError('EVENT_TYPES_REQUIRED')
  if (value.length === 0) throw new DomainError('EVENT_TYPES_EMPTY')
  const types = new Set<WebhookEventType>()
  for (const [i, each] of value.entries()) {
    const type = eventType(`eventTypes[${i}]`, each)
    if (types.has(type)) throw new DomainError('EVENT_TYPE_REPEATED', { type })
    types.add(type)
  }
  return WEBHOOK_EVENT_TYPES.filter((type) => types.has(type))
}

/** The rules of the client that sends: what it would refuse to call is refused when it is given. */
export function receiverProblemOf(http: Pick<GuardedHttp, 'checkUrl'>): ReceiverProblem {
  return (url) => urlProblem(http, url)
}
