import { defineEntity, p } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

const InviteCodeSchema = defineEntity({
  name: 'InviteCode',
  tableName: 'invite_codes',
  properties: {
    hash: key().primary(),
    maxUses: p.integer(),
    expiresAt: timestamp().nullable(),
    revokedAt: timestamp().nullable(),
    createdAt: timestamp().defaultRaw('now()'),
  },
  checks: [{ name: 'invite_codes_max_uses', expression: 'max_uses > 0' }],
})

/** A code that lets its holder register agents at the service's cost. */
export class InviteCode extends InviteCodeSchema.class {}

InviteCodeSchema.setClass(InviteCode)
