import type { Clock } from '../platform/clock.ts'
import { retryDelay, type WorkerLimits } from './limits.ts'
import type { AttemptResult, Send } from './send.ts'
import type { Settlement } from './settle.ts'
import type { Lane } from './slots.ts'
import type { Claim, ClaimedDelivery } from './queue.ts'

/** Decrypts a stored secret. Throws if no configured key fits. */
export type OpenSecret = (encrypted: Buffer, subscriptionId: string) => string

/** Errors that mean that the receiver could not be reached. Only these open the breaker. */
const UNREACHABLE: ReadonlySet<string | undefined> = new Set([
  'timeout',
  'dns_error',
  'connect_error',
  'tls_error',
])

/** A claim whose turn it is. */
export interface StartedClaim extends Claim {
  readonly lane: Lane
  /** The attempt must end within `firstDeadlineMs`. */
  readonly short: boolean
  /** It tests a webhook whose pause has ended. */
  readonly probe: boolean
}

/** Makes one attempt, signed with the current secret. Rejects only on an internal error. */
export async function attempt(
  claim: StartedClaim,
  options: { send: Send; openSecret: OpenSecret; clock: Clock; limits: WorkerLimits; random: () => number },
): Promise<Settlement> {
  const { send, openSecret, clock, limits, random } = options
  if (claim.body === null) throw new Error('the event of this delivery is missing in outbox_events')
  const startedAt = clock.now()
  const result = await send({
    url: claim.url,
    secret: openSecret(Buffer.from(claim.secret, 'base64'), claim.subscription_id),
    eventId: claim.event_id,
    eventType: claim.event_type,
    body: claim.body,
    deliveryId: claim.id,
    attempt: claim.attempt_count + 1,
    deadlineMs: claim.short ? limits.firstDeadlineMs : limits.deadlineMs,
  })
  // The process is stopping, so nothing is known about the receiver.
  if (result.errorCode === 'aborted') throw new Error('the attempt was aborted')
  return settlementOf(claim, result, { startedAt, random, deadlineMs: limits.deadlineMs })
}

/** `startedAt` is in milliseconds since the epoch. `deadlineMs` is that of a whole attempt. */
export function settlementOf(
  claim: ClaimedDelivery & { probe?: boolean },
  result: Omit<AttemptResult, 'outcome'> & Pick<Settlement, 'outcome'>,
  { startedAt, random, deadlineMs }: { startedAt: number; random: () => number; deadlineMs: number },
): Settlement {
  const { outcome, status, errorCode, excerpt } = result
  const mayRetry = outcome === 'failure' || outcome === 'lost'
  return {
    id: claim.id,
    token: claim.token,
    number: claim.attempt_count + 1,
    trigger: claim.trigger,
    outcome,
    started_at: new Date(startedAt).toISOString(),
    duration_ms: Math.round(result.durationMs),
    response_status: status ?? null,
    error_code: errorCode ?? null,
    response_excerpt: excerpt === undefined ? null : storable(excerpt),
    retry_ms: mayRetry ? retryDelay(claim.retry_step, result, random) : null,
    pause_ms: result.retryAfterMs === undefined ? null : Math.round(result.retryAfterMs),
    unreachable: UNREACHABLE.has(errorCode),
    response_ms: status === undefined ? deadlineMs : Math.round(result.durationMs),
    probe: claim.probe ?? false,
  }
}

/** PostgreSQL text cannot contain NUL or lone surrogates. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}')
