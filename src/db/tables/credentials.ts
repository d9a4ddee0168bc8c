import type { ColumnType } from 'kysely'
import type { Timestamp } from './columns.ts'
import type { Verdict } from '../../domain/credential-verdict.ts'

/** owner: verified by the owner. card: listed by an agent card that matches. */
export type CredentialSource = 'owner' | 'card'

/** A credential that is attached to an agent. */
export interface AgentCredentialsTable {
  agent_pda: string
  /** Hex SHA-256 of the JCS form with proof. */
  vc_hash: string
  credential_url: string
  source: CredentialSource
  type: string
  /** DID. */
  issuer: string
  valid_from: Timestamp | null
  valid_until: Timestamp | null
  /** What holds at any time; time and trust are looked at when it is read. */
  verdict: ColumnType<Verdict, string, string>
  /** As fetched; verified again when its issuer becomes trusted. */
  document: string
  indexed_at: Timestamp
}
