import type { ColumnType, Generated } from 'kysely'
import type { Timestamp } from './columns.ts'
import type { IssuerKey } from '../../domain/credential-verdict.ts'

/** The registry of trusted issuers. */
export interface TrustedIssuersTable {
  did: string
  /** null: every type. */
  allowed_types: string[] | null
  /** Of DIDs that do not tell their keys; null for the others. */
  pinned_keys: ColumnType<IssuerKey[] | null, string | null, string | null>
  not_before: Timestamp | null
  not_after: Timestamp | null
  enabled: Generated<boolean>
  created_at: Timestamp
  updated_at: Timestamp
}
