import { defineEntity, p } from '@mikro-orm/core'
import { key } from './columns.ts'

const RateLimitSchema = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limits',
  properties: {
    kind: key().primary(),
    client: key().primary(),
    arrival: p.double(),
  },
})

/** Where a client stands with a limit that holds across replicas. */
export class RateLimit extends RateLimitSchema.class {}

RateLimitSchema.setClass(RateLimit)
