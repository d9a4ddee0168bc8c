import { defineEntity, p } from '@mikro-orm/core'
import type { Finality } from '../database.ts'
import { key, timestamp } from './columns.ts'

const LedgerEventSchema = defineEntity({
  name: 'LedgerEvent',
  tableName: 'ledger_events',
  properties: {
    id: key().primary(),
    position: key(),
    signature: key(),
    slot: p.bigint('number'),
    name: p.text(),
    agentPda: key(),
    owner: key(),
    data: p.json<Record<string, unknown>>(),
    finality: p.text().$type<Finality>().default('confirmed'),
    occurredAt: timestamp(),
  },
  indexes: [
    {
      name: 'ledger_events_signature',
      expression: 'create index ledger_events_signature on ledger_events using hash (signature)',
    },
    {
      name: 'ledger_events_unfinalized',
      expression:
        "create index ledger_events_unfinalized on ledger_events (slot) where finality = 'confirmed'",
    },
  ],
})

/** One event that the registry program logged. */
export class LedgerEvent extends LedgerEventSchema.class {}

LedgerEventSchema.setClass(LedgerEvent)
