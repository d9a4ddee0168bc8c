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
    {
      name: 'outbox_events_event',
      expression: 'create index outbox_events_event on outbox_events using hash (event_id)',
    },
    {
      name: 'outbox_events_restored',
      expression:
        'create index outbox_events_restored on outbox_events (restored_sequence) where restored_sequence is not null',
    },
    { name: 'outbox_events_by_agent', properties: ['agentPda', 'sequence'] },
  ],
  uniques: [{ name: 'outbox_events_id_key', properties: ['id'] }],
})

/** One webhook event, enqueued once. */
export class OutboxEvent extends OutboxEventSchema.class {}

OutboxEventSchema.setClass(OutboxEvent)
