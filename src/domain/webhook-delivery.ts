/** The statuses of deliveries that are not finished: those in webhook_queue. */
export type OpenStatus = 'pending' | 'in_flight' | 'retrying'

/** `cancelled`: the webhook was disabled or deleted, or a fork removed the event. */
export type DeliveryStatus = OpenStatus | 'success' | 'failed' | 'cancelled'

/** The reason for an attempt: the event itself, a failed attempt, or a request of the owner. */
export type DeliveryTrigger = 'event' | 'retry' | 'resend' | 'recover' | 'ping'

/**
 * `gone`: the receiver answered 410. `stale`: the worker's lease had expired, so the attempt
 * changed nothing. `lost`: workers stopped several times during the attempt.
 */
export type AttemptOutcome = 'success' | 'failure' | 'gone' | 'stale' | 'lost'

/** The reason why the service disabled a webhook. Its owner can enable it again. */
export type DisabledReason = 'gone' | 'failing'

/** PostgreSQL channel that tells workers that deliveries are due, once per transaction. */
export const DELIVERIES_CHANNEL = 'webhook_deliveries'
/** The payload of a notification if workers must enqueue deliveries too. Else it is empty. */
export const FAN_OUT_PAYLOAD = 'fan_out'
