import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

const DeactivationRecordSchema = defineEntity({
  name: 'DeactivationRecord',
  tableName: 'deactivation_records',
  properties: {
    pda: key().primary(),
    owner: key(),
    deactivatedAt: timestamp(),
    finalReputation: p.integer(),
    bump: p.smallint(),
    slot: p.bigint('number'),
  },
})

/** What outlives a deactivated agent: its owner's reputation. */
export class DeactivationRecord extends DeactivationRecordSchema.class {}

DeactivationRecordSchema.setClass(DeactivationRecord)
