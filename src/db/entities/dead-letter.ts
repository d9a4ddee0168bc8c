import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

const DeadLetterSchema = defineEntity({
  name: 'DeadLetter',
  tableName: 'dead_letters',
  properties: {
    id: key().primary(),
    kind: p.text(),
    signature: key().nullable(),
    pda: key().nullable(),
    slot: p.bigint('number'),
    reason: p.text(),
    data: p.text().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
})

/** Something on the ledger that could not be read. */
export class DeadLetter extends DeadLetterSchema.class {}

DeadLetterSchema.setClass(DeadLetter)
