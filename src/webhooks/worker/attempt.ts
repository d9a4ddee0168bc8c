import type { Clock } from '../../platform/clock.ts'
import type { Claim } from './claim.ts'
import { pauseOf, retryDelay } from './retry-schedule.ts'
import { type AttemptResult, foundNobody, type OpenSecret, type Send } from './sender.ts'
import type { Settlement } from './settle.ts'

/** PostgreSQL text cannot hold NUL nor lone surrogates. */
const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\u{fffd}')

/** Sends one claimed delivery, signed with the secret of now. Rejects only for reasons of our own. */
export async function attempt(
  claim: Claim,
  {
    send,
    openSecret,
    clock,
    random,
  }: { send: Send; openSecret: OpenSecret; clock: Clock; random: () => number },
): Promise<Settlement> {
  if (claim.body === null) throw new Error('the event of a delivery is not in the outbox')
  const secret = openSecret(Buffer.from(claim.secret, 'base64'), claim.subscription_id)
  const startedAt = clock.now()
  const result = await send({
    url: claim.url,
    secret,
    event: { id: claim.event_id, type: claim.event_type, body: claim.body },
    deliveryId: claim.id,
    attempt: claim.attempt_count + 1,
  })
  // This process stops: nothing is known of the receiver.
  if (result.errorCode === 'aborted') throw new Error('the attempt was cut off')
  return settlementOf(claim, result, { startedAt, random })
}

function settlementOf(
  claim: Claim,
  result: AttemptResult,
  { startedAt, random }: { startedAt: number; random: () => number },
): Settlement {
  const { outcome, status, errorCode, excerpt } = result
  const pauseMs = outcome === 'failure' ? pauseOf(result.retryAfterMs) : null
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
    retry_ms: outcome === 'failure' ? retryDelay(claim.retry_step, { errorCode, pauseMs }, random) : null,
    pause_ms: pauseMs,
    nobody: foundNobody(result),
    probe: claim.probe,
  }
}
