import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

const OutboxEventSchema = defineEntity({
  name: 'OutboxEvent',
  tableName: 'outbox_events',
  properties: {
    sequence: p.bigint('number').columnType('bigint').generated('identity').primary(),
    id: key(),
    eventId: key(),
    type: p.text(),
    agentPda: key(),
    slot: p.bigint('number'),
    body: p.text(),
    occurredAt: timestamp(),
    createdAt: timestamp().defaultRaw('now()'),
    cancelledAt: timestamp().nullable(),
    restoredSequence: p.bigint('number').nullable(),
  },
  indexes: [
    { name: 'outbox_events_event', properties: ['eventId'] },
    { name: 'outbox_events_restored', properties: ['restoredSequence'] },
    { name: 'outbox_events_by_agent', properties: ['agentPda', 'sequence'] },
  ],
  uniques: [{ name: 'outbox_events_id_key', properties: ['id'] }],
})

/** One webhook event, enqueued once. */
export class OutboxEvent extends OutboxEventSchema.class {}

OutboxEventSchema.setClass(OutboxEvent)
