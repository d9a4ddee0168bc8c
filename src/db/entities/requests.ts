import { defineEntity, p } from '@mikro-orm/core'
import { key, timestampNow } from './columns.ts'

/** A wallet signature that was used. No replica accepts it from another client network. */
export const UsedSignature = defineEntity({
  name: 'UsedSignature',
  tableName: 'used_signatures',
  properties: {
    /** base64url SHA-256 of its 64 bytes. */
    hash: key().primary(),
    usedAt: timestampNow(),
    /** Of its first use. Null if a process of an older version accepted it: it is used up. */
    clientNetwork: key().strictNullable(),
  },
})

/**
 * A client's state in a rate limit that all replicas share. Unlogged: a crash resets the limits.
 */
export const RateLimit = defineEntity({
  name: 'RateLimit',
  tableName: 'rate_limits',
  properties: {
    kind: key().primary(),
    /** `clientNetwork` of the client's address. */
    client: key().primary(),
    /** GCRA's theoretical arrival time, in milliseconds since 1970. */
    arrival: p.double().$type<number>(),
  },
})
