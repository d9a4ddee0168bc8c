import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { databaseReader, type RegistryCopy, type RegistryReader } from '../registry.ts'
import {
  type Tier,
  TIERS,
  AGENT_STATUSES,
  type AgentStatus,
  SERVICE_CATEGORIES,
  type ServiceCategory,
} from '@agent-registry/program'
import { columnsOf, type RowOf } from '../../db/columns-of.ts'
import { RegistryConfig as RegistryConfigEntity } from '../../db/entities/ledger-accounts.ts'

/** Reads about the registry as a whole. */
export interface RegistryReads {
  /** Null before the registry is initialised. */
  config(): Promise<RegistryConfig | null>
  stats(): Promise<RegistryStats>
}

export function createRegistryReads(kysely: Kysely<Database>, registry = databaseReader): RegistryReads {
  return {
    config: () => readRegistryConfig(kysely),
    stats: () => readRegistryStats(kysely, registry),
  }
}

const HIDDEN = ['bump', 'slot', 'tierThresholds'] as const

/** The settings of the registry program. */
export type RegistryConfig = Omit<RowOf<typeof RegistryConfigEntity>, (typeof HIDDEN)[number]> & {
  /** The least stake of each tier, in USDC base units (6 decimals), in decimal. */
  readonly tiers: readonly { readonly tier: Tier; readonly minimumStake: string }[]
}

type Row = Omit<RegistryConfig, 'tiers'> & { readonly thresholds: readonly string[] }

/** Null before the registry is initialised. */
async function readRegistryConfig(kysely: Kysely<Database>): Promise<RegistryConfig | null> {
  const { rows } = await sql<Row>`
    select ${columnsOf(RegistryConfigEntity, HIDDEN)}, tier_thresholds as thresholds
    from registry_config limit 1`.execute(kysely)
  if (rows[0] === undefined) return null
  const { thresholds, ...config } = rows[0]
  return { ...config, tiers: TIERS.map((tier, i) => ({ tier, minimumStake: thresholds[i] ?? '0' })) }
}

/** Amounts are USDC base units (6 decimals), in decimal. */
export interface RegistryStats {
  readonly agents: number
  /** Agents whose hosted card does not match its hash. `agents` includes them. */
  readonly mismatchedAgents: number
  /** Every value of the enums, in their order, also without agents. */
  readonly byTier: readonly { readonly tier: Tier; readonly agents: number }[]
  readonly byStatus: readonly { readonly status: AgentStatus; readonly agents: number }[]
  readonly byCategory: readonly { readonly category: ServiceCategory; readonly agents: number }[]
  readonly stakes: number
  readonly depositedAmount: string
  readonly lockedAmount: string
  readonly pendingWithdrawals: string
}

type StakeTotals = Pick<RegistryStats, 'stakes' | 'depositedAmount' | 'lockedAmount' | 'pendingWithdrawals'>

type AgentCounts = ReturnType<RegistryCopy['agents']['counts']>[number]

/** Exact counts and sums of the registry, from memory or from tables that triggers update. */
function readRegistryStats(kysely: Kysely<Database>, registry: RegistryReader): Promise<RegistryStats> {
  return registry.read(
    ({ agents, stakes }) => statsOf(agents.counts(), stakes.totals()),
    () => selectStats(kysely),
  )
}

async function selectStats(kysely: Kysely<Database>): Promise<RegistryStats> {
  const { rows } = await sql<StakeTotals & { counts: readonly AgentCounts[] }>`
    select count as stakes, deposited_amount::text as "depositedAmount", locked_amount::text as "lockedAmount",
      pending_withdrawal::text as "pendingWithdrawals",
      (select coalesce(json_agg(json_build_object('tier', tier, 'status', status, 'category', service_category,
        'mismatched', card_hash_mismatch, 'count', count)), '[]') from agent_counts) as counts
    from stake_totals`.execute(kysely)
  const { counts, ...stakes } = rows[0]!
  return statsOf(counts, stakes)
}

function statsOf(counts: readonly AgentCounts[], stakes: StakeTotals): RegistryStats {
  const agentsWhere = (matches: (each: AgentCounts) => boolean): number =>
    counts.filter(matches).reduce((sum, { count }) => sum + count, 0)
  return {
    agents: agentsWhere(() => true),
    mismatchedAgents: agentsWhere(({ mismatched }) => mismatched),
    byTier: TIERS.map((tier) => ({ tier, agents: agentsWhere((each) => each.tier === tier) })),
    byStatus: AGENT_STATUSES.map((status) => ({
      status,
      agents: agentsWhere((each) => each.status === status),
    })),
    byCategory: SERVICE_CATEGORIES.map((category) => ({
      category,
      agents: agentsWhere((each) => each.category === category),
    })),
    ...stakes,
  }
}
