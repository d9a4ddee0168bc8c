import { defineEntity, p } from '@mikro-orm/core'
import type { DisabledReason } from '../../domain/webhook-delivery.ts'
import type { WebhookEventType } from '../../domain/webhook-events.ts'
import { key, timestamp } from './columns.ts'

const WebhookSubscriptionSchema = defineEntity({
  name: 'WebhookSubscription',
  tableName: 'webhook_subscriptions',
  properties: {
    id: key().primary(),
    wallet: key(),
    url: p.text(),
    host: p
      .text()
      .nullable()
      .generated(String.raw`(lower("substring"(url, '^[a-zA-Z]+://(\[[^]]+\]|[^/:?#]+)'::text))) stored`),
    eventTypes: p.array<WebhookEventType>().columnType('text[]'),
    filterAgentPda: key().nullable(),
    active: p.boolean().default(true),
    secretEncrypted: p.blob().columnType('bytea'),
    createdAt: timestamp().defaultRaw('now()'),
    updatedAt: timestamp().defaultRaw('now()'),
    deletedAt: timestamp().nullable(),
    disabledAt: timestamp().nullable(),
    disabledReason: p.text().$type<DisabledReason>().nullable(),
    failingSince: timestamp().nullable(),
    lastFailureAt: timestamp().nullable(),
    connectFailures: p.integer().default(0),
    breakerOpens: p.integer().default(0),
    pausedUntil: timestamp().nullable(),
  },
  indexes: [{ name: 'webhook_subscriptions_wallet', properties: ['wallet', 'createdAt'] }],
})

/** A wallet's wish to be told of events at a URL, and how that URL behaves. */
export class WebhookSubscription extends WebhookSubscriptionSchema.class {}

WebhookSubscriptionSchema.setClass(WebhookSubscription)
