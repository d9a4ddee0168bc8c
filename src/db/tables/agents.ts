import type { ColumnType, Generated } from 'kysely'
import type { AgentStatus, ServiceCategory, Tier } from '@agent-registry/program'
import type { Timestamp, U64 } from './columns.ts'
import type { CardContent, CardSignature, CardMatch, CardState } from '../../domain/agent-card.ts'

export interface AgentsTable {
  pda: string
  owner: string
  name: string
  tier: Tier
  status: AgentStatus
  service_category: ServiceCategory
  reputation_score: number
  capabilities: U64
  version: string
  agent_card_url: string
  /** Lower-case hex of 32 bytes. */
  agent_card_hash: string
  card_hash_mismatch: Generated<boolean>
  suspended_by_admin: boolean
  reputation_change_today: number
  reputation_day_start: Timestamp
  reputation_updated_at: Timestamp
  tier_effective_at: Timestamp
  rent_payer: string
  bump: number
  created_at: Timestamp
  updated_at: Timestamp
  slot: number
}

export interface AgentCountsTable {
  tier: Tier
  status: AgentStatus
  service_category: ServiceCategory
  card_hash_mismatch: boolean
  count: number
}

export interface AgentCardChecksTable {
  agent_pda: string
  /** The last verdict; it stays until a card is fetched again. */
  card_hash_mismatch: boolean
  checked_at: Timestamp | null
  /** As the ledger has them; kept by a trigger of agents. */
  url: Generated<string>
  hash: Generated<string>
  /** What back-off is kept by: the host of an address, else the scheme. */
  host: Generated<string>
  state: Generated<CardState>
  reason: string | null
  matched_by: CardMatch | null
  signature: CardSignature | null
  content: ColumnType<CardContent | null, string | null, string | null>
  /** Failures in a row. */
  failures: Generated<number>
  /** In the future also while somebody looks. */
  next_check_at: Generated<Timestamp>
  lease_token: string | null
}

export interface AgentCardHostsTable {
  host: string
  /** In a row. */
  failures: number
  /** Before that the host is left alone. */
  retry_at: Timestamp
}
