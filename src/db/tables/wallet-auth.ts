import type { Generated } from 'kysely'
import type { Timestamp } from './columns.ts'

/** A signature of a request that was used. */
export interface UsedSignaturesTable {
  /** base64url of the SHA-256 of its 64 bytes. */
  hash: string
  used_at: Generated<Timestamp>
}
