import { defineEntity, p } from '@mikro-orm/core'
import type { AttemptOutcome, DeliveryTrigger } from '../../domain/webhook-delivery.ts'
import { key, timestamp } from './columns.ts'

const WebhookAttemptSchema = defineEntity({
  name: 'WebhookAttempt',
  tableName: 'webhook_attempts',
  properties: {
    id: p.bigint('number').columnType('bigint').generated('identity').primary(),
    deliveryId: key(),
    number: p.integer(),
    trigger: p.text().$type<DeliveryTrigger>(),
    outcome: p.text().$type<AttemptOutcome>(),
    startedAt: timestamp(),
    durationMs: p.integer(),
    responseStatus: p.integer().nullable(),
    errorCode: p.text().nullable(),
    responseExcerpt: p.text().nullable(),
    nextAttemptAt: timestamp().nullable(),
  },
  indexes: [
    { name: 'webhook_attempts_delivery', properties: ['deliveryId', 'id'] },
    {
      name: 'webhook_attempts_age',
      expression: 'create index webhook_attempts_age on webhook_attempts using brin (started_at)',
    },
  ],
})

/** One request to a receiver, and what it answered. */
export class WebhookAttempt extends WebhookAttemptSchema.class {}

WebhookAttemptSchema.setClass(WebhookAttempt)
