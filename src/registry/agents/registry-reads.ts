import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { DomainError } from '../../domain/errors.ts'
import type { RegistryCopy } from '../loader.ts'
import { databaseReader, type RegistryReader } from '../registry.ts'
import {
  MAX_REPUTATION,
  type Tier,
  TIERS,
  AGENT_STATUSES,
  type AgentStatus,
  SERVICE_CATEGORIES,
  type ServiceCategory,
} from '@agent-registry/program'
import { columnsOf, type RowOf } from '../../db/columns-of.ts'
import { RegistryConfig as RegistryConfigEntity } from '../../db/entities/ledger-accounts.ts'

export type RegistryReads = ReturnType<typeof createRegistryReads>

/** Reads about the registry as a whole. */
export function createRegistryReads(kysely: Kysely<Database>, registry = databaseReader) {
  return {
    /** Null before the registry is initialised. */
    config: () => readRegistryConfig(kysely),
    /** `includeMismatched`: counts agents whose card does not match its hash. */
    stats: async (includeMismatched: boolean) =>
      statsOf(await readCounts(kysely, registry), includeMismatched),
    /**
     * How many agents of today were registered before each of 1 to MAX_TIMES times (ISO 8601), in
     * the order of the times. Throws INVALID_REQUEST.
     */
    growth: (times: readonly string[]) => readGrowth(kysely, registry, times),
    /**
     * The sum of all deposits at each of 1 to MAX_TIMES times, or at the next full hour, in USDC
     * base units. Throws INVALID_REQUEST.
     */
    stake: (times: readonly string[]) => readStake(kysely, times),
    reputation: () => readReputation(kysely, registry),
  }
}

const HIDDEN = ['bump', 'slot', 'tierThresholds'] as const

/** The settings of the registry program. */
export type RegistryConfig = Omit<RowOf<typeof RegistryConfigEntity>, (typeof HIDDEN)[number]> & {
  /** The least stake of each tier, in USDC base units (6 decimals), in decimal. */
  readonly tiers: readonly { readonly tier: Tier; readonly minimumStake: string }[]
}

type Row = Omit<RegistryConfig, 'tiers'> & { readonly thresholds: readonly string[] }

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
  /** Agents whose hosted card does not match its hash. */
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

interface Counts {
  readonly agents: readonly AgentCounts[]
  readonly stakes: StakeTotals
}

/** Exact counts and sums of the registry, from memory or from tables that triggers update. */
function readCounts(kysely: Kysely<Database>, registry: RegistryReader): Promise<Counts> {
  return registry.read(
    ({ agents, stakes }) => ({ agents: agents.counts(), stakes: stakes.totals() }),
    async () => {
      const { rows } = await sql<StakeTotals & { counts: readonly AgentCounts[] }>`
        select count as stakes, deposited_amount::text as "depositedAmount", locked_amount::text as "lockedAmount",
          pending_withdrawal::text as "pendingWithdrawals",
          (select coalesce(json_agg(json_build_object('tier', tier, 'status', status, 'category', service_category,
            'mismatched', card_hash_mismatch, 'count', count)), '[]') from agent_counts) as counts
        from stake_totals`.execute(kysely)
      const { counts, ...stakes } = rows[0]!
      return { agents: counts, stakes }
    },
  )
}

function statsOf({ agents: all, stakes }: Counts, includeMismatched: boolean): RegistryStats {
  const sumOf = (counts: readonly AgentCounts[]): number => counts.reduce((sum, { count }) => sum + count, 0)
  const mismatched = all.filter((each) => each.mismatched)
  const shown = includeMismatched ? all : all.filter((each) => !each.mismatched)
  const agentsWhere = (matches: (each: AgentCounts) => boolean): number => sumOf(shown.filter(matches))
  return {
    agents: sumOf(shown),
    mismatchedAgents: sumOf(mismatched),
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

export const MAX_TIMES = 100
/** PostgreSQL knows fewer years than JavaScript. */
const LAST_TIME = Date.UTC(9999, 0)

async function readGrowth(
  kysely: Kysely<Database>,
  registry: RegistryReader,
  times: readonly string[],
): Promise<number[]> {
  const asked = readTimes(times)
  return registry.read(
    ({ agents }) => asked.map((time) => agents.registeredBefore(time * 1_000)),
    () => selectGrowth(kysely, asked),
  )
}

/** In milliseconds. */
function readTimes(times: readonly string[]): number[] {
  if (times.length === 0 || times.length > MAX_TIMES)
    throw new DomainError('INVALID_REQUEST', {
      problem: `times must contain 1 to ${MAX_TIMES} values, got ${times.length}`,
    })
  return times.map((time) => Math.min(Math.max(Date.parse(time), 0), LAST_TIME))
}

const sortedTimes = (times: readonly number[]): number[] => [...new Set(times)].toSorted((a, b) => a - b)
const timestamps = (times: readonly number[]): RawBuilder<unknown> =>
  sql`${times.map((time) => new Date(time))}::timestamptz[]`

/** Reads the table once, however many times there are. */
async function selectGrowth(kysely: Kysely<Database>, times: readonly number[]): Promise<number[]> {
  const sorted = sortedTimes(times)
  const { rows } = await sql<{ passed: number; agents: number }>`
    select width_bucket(created_at, ${timestamps(sorted)}) as passed, count(*)::integer as agents
    from agents group by 1`.execute(kysely)
  return times.map((time) => {
    const at = sorted.indexOf(time)
    return rows.reduce((sum, { passed, agents }) => (passed <= at ? sum + agents : sum), 0)
  })
}

/**
 * The deposits of now, without the changes since: this reads one row for each hour since the first
 * time, and is right although a node may have lost the transactions before.
 */
async function readStake(kysely: Kysely<Database>, times: readonly string[]): Promise<string[]> {
  const asked = readTimes(times)
  const sorted = sortedTimes(asked)
  // An account can be written before its last events, so the difference can be negative.
  const { rows } = await sql<{ deposited: string }>`
    select greatest(0, deposited_amount - sum(change) over (order by time desc))::text as deposited
    from stake_totals
    cross join (
      select time, lead(time, 1, 'infinity') over (order by time) as next
      from unnest(${timestamps(sorted)}) as time
    ) as spans
    cross join lateral (
      select coalesce(sum(deposited_change), 0) as change from registry_hours where hour >= time and hour < next
    ) as changes
    order by time`.execute(kysely)
  return asked.map((time) => rows[sorted.indexOf(time)]!.deposited)
}

/** The agents whose reputation is from `from` to `to`, both inclusive. */
export interface ReputationCount {
  readonly from: number
  readonly to: number
  readonly agents: number
}

export const REPUTATION_STEPS = 20
const STEP = MAX_REPUTATION / REPUTATION_STEPS

async function readReputation(
  kysely: Kysely<Database>,
  registry: RegistryReader,
): Promise<ReputationCount[]> {
  const scores = await registry.read(
    ({ agents }) => agents.scores(),
    async () => {
      const { rows } = await sql<{ score: number; agents: number }>`
        select reputation_score as score, count(*)::integer as agents from agents group by 1`.execute(kysely)
      return rows
    },
  )
  const stepOf = (score: number): number =>
    Math.min(Math.max(Math.floor(score / STEP), 0), REPUTATION_STEPS - 1)
  const counts = Array.from({ length: REPUTATION_STEPS }, () => 0)
  for (const { score, agents } of scores) counts[stepOf(score)]! += agents
  return counts.map((agents, step) => ({
    from: step * STEP,
    to: step === REPUTATION_STEPS - 1 ? MAX_REPUTATION : (step + 1) * STEP - 1,
    agents,
  }))
}
