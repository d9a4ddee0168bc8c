import { sql } from 'kysely'
import type { AgentStatus, ServiceCategory, Tier } from '@agent-registry/program'

/** An agent as the read API shows it. */
export interface AgentRow {
  pda: string
  owner: string
  name: string
  tier: Tier
  status: AgentStatus
  serviceCategory: ServiceCategory
  /** 0 to 1000. */
  reputationScore: number
  /** u64 bit mask in decimal. */
  capabilities: string
  version: string
  agentCardUrl: string
  cardHashMismatch: boolean
  /** ISO 8601 with milliseconds, as are all times of a row. */
  createdAt: string
  updatedAt: string
  /** 0 to 1, only in a search by name. */
  nameSimilarity?: number
}

/** Columns are named as the row's fields here, so that reading a page maps nothing. */
export const agentColumns = sql`agents.pda, agents.owner, agents.name, agents.tier, agents.status,
  agents.service_category as "serviceCategory", agents.reputation_score as "reputationScore", agents.capabilities,
  agents.version, agents.agent_card_url as "agentCardUrl", agents.card_hash_mismatch as "cardHashMismatch",
  agents.created_at as "createdAt", agents.updated_at as "updatedAt"`
