/**
 * `pending`: to be attempted as soon as there is room. `in_flight`: a worker holds it. `retrying`: failed, and waits for its next attempt.
 * `failed`: every attempt failed. `cancelled`: the webhook was switched off or deleted, or the ledger took the event back.
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

/** Why an attempt was made: the event, a failed attempt before it, or what the owner asked for. */
export const DELIVERY_TRIGGERS = ['event', 'retry', 'resend', 'recover', 'ping'] as const

export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number]

/**
 * `gone`: the receiver answered 410. `stale`: the worker had lost its lease, so the attempt changed nothing.
 * `lost`: workers ended several times during the attempt.
 */
export const ATTEMPT_OUTCOMES = ['success', 'failure', 'gone', 'stale', 'lost'] as const

export type AttemptOutcome = (typeof ATTEMPT_OUTCOMES)[number]

/** Why the service switched a webhook off; its owner may switch it on again. */
export const DISABLED_REASONS = ['gone', 'failing'] as const

export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** Where PostgreSQL announces, once a transaction, that deliveries are due. A hint only. */
export const DELIVERIES_CHANNEL = 'webhook_deliveries'
