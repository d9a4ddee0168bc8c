/**
 * `pending`: waits for its first attempt. `in_flight`: a worker has claimed it. `retrying`: failed,
 * and waits for the next attempt. `failed`: all attempts failed. `cancelled`: the webhook was
 * disabled or deleted, or a fork removed the event.
 */
export const DELIVERY_STATUSES = [
  'pending',
  'in_flight',
  'success',
  'retrying',
  'failed',
  'cancelled',
] as const

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

/** The statuses of deliveries that are not finished: those in webhook_queue. */
export type OpenStatus = 'pending' | 'in_flight' | 'retrying'

/** The reason for an attempt: the event itself, a failed attempt, or a request of the owner. */
export const DELIVERY_TRIGGERS = ['event', 'retry', 'resend', 'recover', 'ping'] as const

export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number]

/**
 * `gone`: the receiver answered 410. `stale`: the worker's lease had expired, so the attempt
 * changed nothing. `lost`: workers stopped several times during the attempt.
 */
export const ATTEMPT_OUTCOMES = ['success', 'failure', 'gone', 'stale', 'lost'] as const

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** The reason why the service disabled a webhook. Its owner can enable it again. */
export const DISABLED_REASONS = ['gone', 'failing'] as const

export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** PostgreSQL channel that tells workers that deliveries are due, once per transaction. */
export const DELIVERIES_CHANNEL = 'webhook_deliveries'
/** The payload of a notification if workers must enqueue deliveries too. Else it is empty. */
export const FAN_OUT_PAYLOAD = 'fan_out'
