/**
 * `pending`: to be attempted as soon as there is room. `in_flight`: a worker holds it. `retrying`: failed, and waits for its next attempt.
 * `failed`: every attempt failed. `cancelled`: the webhook was switched off or deleted, or the ledger took the event back.
 */
export type DeliveryStatus = 'pending' | 'in_flight' | 'success' | 'retrying' | 'failed' | 'cancelled'

/** Why an attempt was made: the event, a failed attempt before it, or what the owner asked for. */
export type DeliveryTrigger = 'event' | 'retry' | 'resend' | 'recover' | 'ping'

/**
 * `gone`: the receiver answered 410. `stale`: the worker had lost its lease, so the attempt changed nothing.
 * `lost`: workers ended several times during the attempt.
 */
export type AttemptOutcome = 'success' | 'failure' | 'gone' | 'stale' | 'lost'

/** Why the service switched a webhook off; its owner may switch it on again. */
export type DisabledReason = 'gone' | 'failing'

/** Where PostgreSQL announces, once a transaction, that deliveries are due. A hint only. */
export const DELIVERIES_CHANNEL = 'webhook_deliveries'
