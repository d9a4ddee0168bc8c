import type { Clock } from '../../platform/clock.ts'
import type { GuardedHttp, HttpResult } from '../../platform/net/guarded-http.ts'
import type { HttpErrorCode } from '../../platform/net/error-codes.ts'
import { WORKER_LIMITS } from './limits.ts'
import { excerptOf, retryAfterMs } from './response.ts'
import { signDelivery, signStandard } from './sign-delivery.ts'

export interface SendRequest {
  readonly url: string
  /** The decrypted signing secret. */
  readonly secret: string
  /** The `id` in the body, without a dot. */
  readonly eventId: string
  readonly eventType: string
  /** The exact text to sign and send. */
  readonly body: string
  readonly deliveryId: string
  /** Starts at 1. */
  readonly attempt: number
  /** Limit of the whole request in milliseconds. */
  readonly deadlineMs?: number
}

export interface AttemptResult {
  /** `gone`: the receiver answered 410. */
  readonly outcome: 'success' | 'failure' | 'gone'
  readonly status?: number | undefined
  /** Why there was no response: such as `timeout`. */
  readonly errorCode?: HttpErrorCode | 'worker_lost' | undefined
  readonly retryAfterMs?: number | undefined
  readonly excerpt?: string | undefined
  readonly durationMs: number
}

/**
 * Sends one request. Every behaviour of the receiver is a result. It rejects only on an internal
 * error.
 */
export type Send = (request: SendRequest) => Promise<AttemptResult>

export interface SenderOptions {
  readonly http: GuardedHttp
  readonly clock: Clock
  /**
   * Limits of one attempt in milliseconds: in total, and between two parts of the response body.
   */
  readonly limits?: { readonly totalMs?: number; readonly idleMs?: number }
}

/** Sends deliveries as signed POST requests. Redirects are not followed. */
export function createSender({ http, clock, limits }: SenderOptions): Send {
  return async (request) => {
    const headers = headersOf(request, Math.floor(clock.now() / 1000))
    const totalMs = Math.min(request.deadlineMs ?? Infinity, limits?.totalMs ?? WORKER_LIMITS.deadlineMs)
    const result = await http.post(request.url, { headers, body: request.body, ...limits, totalMs })
    return attemptResult(result, clock.now())
  }
}

/** The names have the contract's case, because some receivers compare them case-sensitively. */
function headersOf(request: SendRequest, timestamp: number): Record<string, string> {
  const { secret, eventId: id, eventType, body, deliveryId, attempt } = request
  return {
    'Content-Type': 'application/json',
    // The response excerpt is stored without decompression.
    'Accept-Encoding': 'identity',
    'User-Agent': 'agent-registry-gateway',
    'X-Service-Signature': signDelivery({ secret, timestamp, body }),
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Event': eventType,
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attempt),
    // Standard Webhooks, for receivers that use one of its libraries.
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signStandard({ secret, timestamp, body, id }),
  }
}

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
