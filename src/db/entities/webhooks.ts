import type { HttpErrorCode } from '../../platform/net/error-codes.ts'
import { defineEntity, p } from '@mikro-orm/core'
import type {
  AttemptOutcome,
  DeliveryStatus,
  DeliveryTrigger,
  DisabledReason,
  OpenStatus,
} from '../../domain/webhook-delivery.ts'
import type { WebhookEventType } from '../../domain/webhook-events.ts'
import { identity, int8, key, timestamp, timestampNow } from './columns.ts'

const HOST_OF_URL = String.raw`lower("substring"(url, '^[a-zA-Z]+://(\[[^]]+\]|[^/:?#]+)'::text))`

/** A wallet's subscription to events, and the health of its receiver. */
export const WebhookSubscription = defineEntity({
  name: 'WebhookSubscription',
  tableName: 'webhook_subscriptions',
  properties: {
    /** UUID. */
    id: key().primary(),
    wallet: key(),
    url: p.text(),
    /** The URL's host in lower case. */
    host: p.text().strictNullable().generated(`(${HOST_OF_URL}) stored`),
    /** `siteOf` the URL's host. Null in old rows: their host is used. */
    site: key().strictNullable(),
    /** `clientNetwork` of the client that created it. Null in old rows: their wallet is used. */
    network: key().strictNullable(),
    eventTypes: p.array<WebhookEventType>().columnType('text[]'),
    /** Null for events of every agent. */
    filterAgentPda: key().strictNullable(),
    active: p.boolean().default(true),
    secretEncrypted: p.blob().columnType('bytea').$type<Buffer>(),
    /** The secret before the last rotation. Deliveries are signed with it, too, until this time. */
    previousSecretEncrypted: p.blob().columnType('bytea').$type<Buffer>().strictNullable(),
    previousSecretUntil: timestamp().strictNullable(),
    createdAt: timestampNow(),
    updatedAt: timestampNow(),
    /** A deleted row remains until its delivery log is removed. */
    deletedAt: timestamp().strictNullable(),
    /** When and why the service disabled it. Null if its owner did, or nobody. */
    disabledAt: timestamp().strictNullable(),
    disabledReason: p.text().$type<DisabledReason>().strictNullable(),
    /** The first failure since the last success. */
    failingSince: timestamp().strictNullable(),
    lastFailureAt: timestamp().strictNullable(),
    /** Consecutive attempts without a connection: refused, unreachable or timed out. */
    connectFailures: p.integer().default(0),
    /** How often the circuit breaker opened since the last success. */
    breakerOpens: p.integer().default(0),
    /** No attempt before this time. If it has passed, one probe may be in flight. */
    pausedUntil: timestamp().strictNullable(),
    /** Moving average of the time of an attempt in ms. Null before the first attempt. */
    responseMs: p.double().$type<number>().strictNullable(),
  },
})

/** One event for one subscription. Rows are narrow, since they change often. */
export const WebhookDelivery = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    /** UUID. */
    id: key().primary().defaultRaw('(gen_random_uuid())::text'),
    subscription: () => p.manyToOne(WebhookSubscription).ref().deleteRule('cascade').updateRule('no action'),
    /** Of the subscription: its network, or its wallet if it has none. */
    network: key().default('-'),
    /** The id of an outbox event, or a new id for a ping. */
    eventId: key(),
    eventType: p.text().$type<WebhookEventType | 'ping'>(),
    /** Only for pings; other bodies are in outbox_events. */
    body: p.text().strictNullable(),
    status: p.text().$type<DeliveryStatus>().default('pending'),
    /** The reason for the next attempt, or for the last one when none is due. */
    trigger: p.text().$type<DeliveryTrigger>().default('event'),
    attemptCount: p.integer().default(0),
    /** Failures since it was created or resent: the position in the retry schedule. */
    retryStep: p.integer().default(0),
    /** Claims without an outcome since the last attempt. */
    claimCount: p.integer().default(0),
    nextAttemptAt: timestamp().strictNullable().defaultRaw('now()'),
    /** Needed to write the outcome. */
    leaseToken: key().strictNullable(),
    leaseUntil: timestamp().strictNullable(),
    /** Cancelled while in flight: its attempt ends, but is not retried. */
    cancelRequested: p.boolean().default(false),
    createdAt: timestampNow(),
    completedAt: timestamp().strictNullable(),
  },
})

/** A delivery that is not finished. Triggers of `webhook_deliveries` write it. */
export const WebhookQueue = defineEntity({
  name: 'WebhookQueue',
  tableName: 'webhook_queue',
  properties: {
    status: p.text().collation('C').$type<OpenStatus>().primary(),
    network: key().primary(),
    subscriptionId: key().primary(),
    /** When the next attempt is due. In flight: when the lease ends. */
    dueAt: timestamp().primary(),
    deliveryId: key().primary(),
  },
})

/** An event for which deliveries are still being enqueued. */
export const WebhookFanOut = defineEntity({
  name: 'WebhookFanOut',
  tableName: 'webhook_fan_outs',
  properties: {
    /** The id of an outbox event. */
    eventId: key().primary(),
    /** Of the outbox event. */
    sequence: int8(),
    /** Subscriptions up to this id have their delivery. */
    after: key(),
    /** Only subscriptions that existed at this time get the event. */
    startedAt: timestampNow(),
  },
})

/** One request to a receiver and its response. It outlives its delivery: no foreign key. */
export const WebhookAttempt = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempts',
  properties: {
    id: identity(),
    deliveryId: key(),
    /** From 1. */
    number: p.integer(),
    trigger: p.text().$type<DeliveryTrigger>(),
    outcome: p.text().$type<AttemptOutcome>(),
    startedAt: timestamp(),
    durationMs: p.integer(),
    responseStatus: p.integer().strictNullable(),
    errorCode: p.text().$type<HttpErrorCode | 'worker_lost'>().strictNullable(),
    /** The start of the response body, as text. */
    responseExcerpt: p.text().strictNullable(),
    /** `TIMESTAMP X-SERVICE-SIGNATURE WEBHOOK-SIGNATURE`: shorter than the headers. */
    signatures: p.text().strictNullable(),
    /** The retry that was scheduled. */
    nextAttemptAt: timestamp().strictNullable(),
  },
})
