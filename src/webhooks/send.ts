import { createHmac } from 'node:crypto'
import type { Clock } from '../platform/clock.ts'
import type { HttpErrorCode } from '../platform/net/error-codes.ts'
import type { GuardedHttp, HttpResponse, HttpResult } from '../platform/net/guarded-http.ts'

interface SendRequest {
  readonly url: string
  /** The decrypted signing secrets: the current one, and after a rotation the replaced one. */
  readonly secrets: readonly string[]
  /** The `id` in the body, without a dot. */
  readonly eventId: string
  readonly eventType: string
  /** The exact text to sign and send. */
  readonly body: string
  readonly deliveryId: string
  /** Starts at 1. */
  readonly attempt: number
  /** Limit of the whole request in milliseconds. */
  readonly deadlineMs: number
}

export interface AttemptResult {
  /** `gone`: the receiver answered 410. */
  readonly outcome: 'success' | 'failure' | 'gone'
  readonly status?: number | undefined
  /** Why there was no response: such as `timeout`. */
  readonly errorCode?: HttpErrorCode | 'worker_lost' | undefined
  readonly retryAfterMs?: number | undefined
  readonly excerpt?: string | undefined
  /** What only the service can compute, see the entity WebhookAttempt. */
  readonly signatures?: string | undefined
  readonly durationMs: number
}

/**
 * Sends one request. Every behaviour of the receiver is a result. It rejects only on an internal
 * error.
 */
export type Send = (request: SendRequest) => Promise<AttemptResult>

interface SenderOptions {
  readonly http: GuardedHttp
  readonly clock: Clock
  /** Between two parts of the response body, in milliseconds. */
  readonly idleMs?: number
}

/** Sends deliveries as signed POST requests. Redirects are not followed. */
export function createSender({ http, clock, ...idle }: SenderOptions): Send {
  return async (request) => {
    const headers = headersOf(request, Math.floor(clock.now() / 1000))
    const { url, body, deadlineMs: totalMs } = request
    const result = await http.post(url, { headers, body, totalMs, ...idle })
    return { ...attemptResult(result, clock.now()), signatures: signaturesOf(headers) }
  }
}

/** The names have the contract's case, because some receivers compare them case-sensitively. */
function headersOf(request: SendRequest, timestamp: number): Record<string, string> {
  const { secrets, eventId: id, eventType, body, deliveryId, attempt } = request
  // For X-Service-Signature, which has room for one signature. Receivers know the replaced secret.
  const secret = secrets.at(-1)!
  return {
    'Content-Type': 'application/json',
    // The response excerpt is stored without decompression.
    'Accept-Encoding': 'identity',
    'User-Agent': 'agent-registry-gateway',
    'X-Service-Signature': signDelivery({ secret, timestamp, body }),
    'X-Service-Timestamp': String(timestamp),
    // A test event can be an example of any type.
    'X-Service-Event': eventType === 'ping' ? (JSON.parse(body) as { type: string }).type : eventType,
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attempt),
    // Standard Webhooks, for receivers that use one of its libraries.
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': secrets.map((each) => signStandard({ secret: each, timestamp, body, id })).join(' '),
  }
}

const SIGNED = ['X-Service-Timestamp', 'X-Service-Signature', 'webhook-signature']

const signaturesOf = (headers: Record<string, string>): string =>
  SIGNED.map((name) => headers[name]).join(' ')

function attemptResult(result: HttpResult, now: number): AttemptResult {
  const { durationMs } = result
  if (result.outcome === 'failed') return { outcome: 'failure', errorCode: result.errorCode, durationMs }
  const { status, headers } = result
  const isRetryLater = status === 429 || status === 503
  return {
    outcome: outcomeOf(status),
    status,
    excerpt: excerptOf(result),
    retryAfterMs: isRetryLater ? retryAfterMs(headers['retry-after'], now) : undefined,
    durationMs,
  }
}

function outcomeOf(status: number): AttemptResult['outcome'] {
  if (status >= 200 && status < 300) return 'success'
  return status === 410 ? 'gone' : 'failure'
}

export interface SignedDelivery {
  /** The secret as its owner received it, including `whsec_`. */
  readonly secret: string
  /** Unix time in seconds. */
  readonly timestamp: number
  /** The bytes of the body as they are sent. */
  readonly body: string | Uint8Array
}

/**
 * Returns the hex HMAC-SHA256 of `<timestamp>.<body>`, the value of `X-Service-Signature`. The key
 * is the secret as UTF-8.
 */
export function signDelivery({ secret, timestamp, body }: SignedDelivery): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex')
}

/**
 * Returns the header `webhook-signature` of Standard Webhooks: the base64 HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`. The key is what follows `whsec_`, decoded from base64. Old secrets are
 * in the URL alphabet, which Node decodes too.
 */
export function signStandard({ secret, timestamp, body, id }: SignedDelivery & { id: string }): string {
  // As text, because a key in a Buffer takes Node three times as long.
  const hmac = createHmac('sha256', secret.replace(/^whsec_/, ''), { encoding: 'base64' })
  return `v1,${hmac.update(`${id}.${timestamp}.`).update(body).digest('base64')}`
}

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
