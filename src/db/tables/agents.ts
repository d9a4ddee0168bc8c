import type { Generated } from 'kysely'
import type { AgentStatus, ServiceCategory, Tier } from '../../domain/registry.ts'
import type { Timestamp, U64 } from './columns.ts'

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
  card_hash_mismatch: boolean
  checked_at: Timestamp
}
