import { defineEntity } from '@mikro-orm/core'
import { key, timestamp } from './columns.ts'

const UsedSignatureSchema = defineEntity({
  name: 'UsedSignature',
  tableName: 'used_signatures',
  properties: {
    hash: key().primary(),
    usedAt: timestamp().defaultRaw('now()'),
  },
  indexes: [{ name: 'used_signatures_used_at', properties: ['usedAt'] }],
})

/** A wallet's signature of a request that was used. */
export class UsedSignature extends UsedSignatureSchema.class {}

UsedSignatureSchema.setClass(UsedSignature)
