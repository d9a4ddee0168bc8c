import type { Clock } from '../../platform/clock.ts'
import type { GuardedHttp, HttpResult } from '../../platform/net/guarded-http.ts'
import { signDelivery } from '../sign.ts'
import type { AttemptResult, Send, SendRequest } from '../worker/sender.ts'
import { excerptOf } from './excerpt.ts'
import { retryAfterMs } from './retry-after.ts'

export interface SenderOptions {
  readonly http: GuardedHttp
  readonly clock: Clock
  readonly userAgent?: string
  /** Of an attempt in all, and of waiting for the rest of an answer. Milliseconds; those of `http` by default. */
  readonly totalMs?: number
  readonly idleMs?: number
}

/** One POST of a delivery, signed at the time of the attempt with the secret of now. Redirects are not followed. */
export function createSender(options: SenderOptions): Send {
  const { http, clock, userAgent = 'agent-registry-gateway', totalMs, idleMs } = options
  return async (request) => {
    const result = await http.post(request.url, {
      headers: { ...headersOf(request, Math.floor(clock.now() / 1000)), 'User-Agent': userAgent },
      body: request.event.body,
      ...(totalMs === undefined ? {} : { totalMs }),
      ...(idleMs === undefined ? {} : { idleMs }),
    })
    return attemptResult(result, clock.now())
  }
}

/** In the contract's case: not every receiver reads names in any case, as it ought to. */
function headersOf(
  { secret, event, deliveryId, attempt }: SendRequest,
  timestamp: number,
): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    // An excerpt of the answer is kept, and is not decoded.
    'Accept-Encoding': 'identity',
    'X-Service-Signature': signDelivery({ secret, timestamp, body: event.body }),
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Event': event.type,
    'X-Service-Delivery': deliveryId,
    'X-Service-Attempt': String(attempt),
  }
}

function attemptResult(result: HttpResult, now: number): AttemptResult {
  const { durationMs } = result
  if (result.outcome === 'failed') return { outcome: 'failure', errorCode: result.errorCode, durationMs }
  const { status, headers } = result
  return {
    outcome: status >= 200 && status < 300 ? 'success' : status === 410 ? 'gone' : 'failure',
    status,
    excerpt: excerptOf(result),
    retryAfterMs: status === 429 || status === 503 ? retryAfterMs(headers['retry-after'], now) : undefined,
    durationMs,
  }
}
