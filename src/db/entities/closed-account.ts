import { defineEntity, p } from '@mikro-orm/core'
import { key } from './columns.ts'

const ClosedAccountSchema = defineEntity({
  name: 'ClosedAccount',
  tableName: 'closed_accounts',
  properties: {
    pda: key().primary(),
    slot: p.bigint('number'),
  },
})

/** An account that was seen closed at a slot. */
export class ClosedAccount extends ClosedAccountSchema.class {}

ClosedAccountSchema.setClass(ClosedAccount)
