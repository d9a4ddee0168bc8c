import type { ColumnType, Generated } from 'kysely'
import type { Timestamp } from './columns.ts'
import type { SponsorshipKind, SponsorshipState } from '../../domain/sponsorship.ts'

/** A code that lets its holder register agents at the service's cost. */
export interface InviteCodesTable {
  /** Hex of the SHA-256 of the code; the code itself is not kept. */
  hash: string
  max_uses: number
  expires_at: Timestamp | null
  revoked_at: Timestamp | null
  created_at: Generated<Timestamp>
}

/** What the service paid, or may have to pay, for one transaction. Amounts in lamports. */
export interface SponsorshipsTable {
  /** Of the prepared transaction. */
  id: string
  kind: SponsorshipKind
  wallet: string
  /** Of a registration. */
  agent_pda: string | null
  code_hash: string | null
  /** IPv4 address or /64; forgotten when it is not needed any more. */
  client_network: string | null
  state: Generated<SponsorshipState>
  /** The most that it can cost. */
  reserved_lamports: ColumnType<number, number | string, number | string>
  /** What of it becomes rent of the agent's account, and comes back when that is closed. */
  rent_lamports: ColumnType<number | null, number | string | null, number | string | null>
  /** What it did cost, read from the ledger. */
  spent_lamports: ColumnType<number | null, number | string | null, number | string | null>
  /** Base-58. */
  signature: string | null
  created_at: Generated<Timestamp>
  updated_at: Generated<Timestamp>
}
