import { defineEntity, p } from '@mikro-orm/core'
import type { DeliveryStatus, DeliveryTrigger } from '../../domain/webhook-delivery.ts'
import { key, timestamp } from './columns.ts'
import { WebhookSubscription } from './webhook-subscription.ts'

const index = (name: string, rest: string) => ({
  name,
  expression: `create index ${name} on webhook_deliveries ${rest}`,
})

const WebhookDeliverySchema = defineEntity({
  name: 'WebhookDelivery',
  tableName: 'webhook_deliveries',
  properties: {
    id: key().primary().defaultRaw('(gen_random_uuid())::text'),
    subscription: () =>
      p
        .manyToOne(WebhookSubscription)
        .ref()
        .deleteRule('cascade')
        .updateRule('no action')
        .foreignKeyName('webhook_deliveries_subscription_id_fkey'),
    eventId: key(),
    eventType: p.text(),
    body: p.text().nullable(),
    status: p.text().$type<DeliveryStatus>().default('pending'),
    trigger: p.text().$type<DeliveryTrigger>().default('event'),
    attemptCount: p.integer().default(0),
    retryStep: p.integer().default(0),
    claimCount: p.integer().default(0),
    nextAttemptAt: timestamp().nullable().defaultRaw('now()'),
    leaseToken: key().nullable(),
    leaseUntil: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
    completedAt: timestamp().nullable(),
  },
  uniques: [{ name: 'webhook_deliveries_event', properties: ['eventId', 'subscription'] }],
  indexes: [
    index('webhook_deliveries_pending', "(subscription_id, next_attempt_at) where status = 'pending'"),
    index('webhook_deliveries_retrying', "(subscription_id, next_attempt_at) where status = 'retrying'"),
    index('webhook_deliveries_in_flight', "(subscription_id) where status = 'in_flight'"),
    index('webhook_deliveries_log', '(subscription_id, created_at desc, id desc)'),
    index('webhook_deliveries_age', 'using brin (created_at)'),
  ],
  checks: [
    {
      name: 'webhook_deliveries_status',
      expression: "status in ('pending', 'in_flight', 'success', 'retrying', 'failed', 'cancelled')",
    },
    {
      name: 'webhook_deliveries_lease',
      expression:
        "(status = 'in_flight') = (lease_token is not null) and (lease_token is null) = (lease_until is null)",
    },
    {
      name: 'webhook_deliveries_next',
      expression: "(status in ('pending', 'retrying')) = (next_attempt_at is not null)",
    },
    {
      name: 'webhook_deliveries_completed',
      expression: "(status in ('success', 'failed', 'cancelled')) = (completed_at is not null)",
    },
  ],
})

/** One event on its way to one subscription. */
export class WebhookDelivery extends WebhookDeliverySchema.class {}

WebhookDeliverySchema.setClass(WebhookDelivery)
