import { SEARCH_UNITS } from '../src/registry/agents/agent-filter.ts'
import {
  MAX_TIMES,
  type RegistryConfig,
  type RegistryStats,
  REPUTATION_STEPS,
  type ReputationCount,
} from '../src/registry/agents/registry-reads.ts'
import { builder } from './builder.ts'
import { bool, int, list, objectType, of, pubkey, safeInt, time, u64 } from './columns.ts'
import { args, required, withDefault } from './inputs.ts'
import { AgentStatus, ServiceCategory, Tier } from './registry-enums.ts'

const agents = int('Number of agents.')

const TierThresholdRef = objectType<RegistryConfig['tiers'][number]>(
  'TierThreshold',
  'The stake that a tier requires.',
  {
    tier: of(Tier, 'The tier.'),
    minimumStake: u64('Least stake in USDC base units (6 decimals).'),
  },
)

const RegistryConfigRef = objectType<RegistryConfig>(
  'RegistryConfig',
  'The settings of the registry program.',
  {
    pda: pubkey('Address of the config account.'),
    admin: pubkey('Wallet of the admin.'),
    usdcMint: pubkey('Mint of the token that is staked.'),
    treasury: pubkey('Address of the treasury.'),
    tiers: list(of(TierThresholdRef, 'All tiers, from the lowest to the highest.')),
    cooldownSeconds: safeInt('Seconds between the request of a withdrawal and its completion.'),
    paused: bool('Whether the admin paused the registry. Withdrawals still work.'),
  },
)

const TierCountRef = objectType<RegistryStats['byTier'][number]>('TierCount', 'The agents of a tier.', {
  tier: of(Tier, 'The tier.'),
  agents,
})

const StatusCountRef = objectType<RegistryStats['byStatus'][number]>(
  'StatusCount',
  'The agents with a status.',
  {
    status: of(AgentStatus, 'The status.'),
    agents,
  },
)

const CategoryCountRef = objectType<RegistryStats['byCategory'][number]>(
  'CategoryCount',
  'The agents of a service category.',
  {
    category: of(ServiceCategory, 'The service category.'),
    agents,
  },
)

const RegistryStatsRef = objectType<RegistryStats>(
  'RegistryStats',
  'Exact counts and sums of the registry. Closed agents do not count.',
  {
    agents,
    mismatchedAgents: int(
      'Number of agents whose hosted card does not match its hash. Lists leave them out.',
    ),
    byTier: list(of(TierCountRef, 'Agents by tier, from the lowest tier to the highest.')),
    byStatus: list(of(StatusCountRef, 'Agents by status.')),
    byCategory: list(of(CategoryCountRef, 'Agents by service category.')),
    stakes: int('Number of stake accounts.'),
    depositedAmount: u64('Sum of all deposits in USDC base units (6 decimals).'),
    lockedAmount: u64('Sum of all locked amounts in USDC base units.'),
    pendingWithdrawals: u64('Sum of all requested withdrawals in USDC base units.'),
  },
)

const ReputationCountRef = objectType<ReputationCount>(
  'ReputationCount',
  'The agents with a reputation in a range.',
  {
    from: int('Lowest reputation of the range, inclusive.', 250),
    to: int('Highest reputation of the range, inclusive.', 299),
    agents,
  },
)

builder.queryFields((t) => ({
  registryConfig: t.field({
    type: RegistryConfigRef,
    nullable: true,
    description: 'The settings of the registry program. Null before the registry is initialised.',
    resolve: (_, _args, { services }) => services.registry.config(),
  }),
  registryStats: t.field({
    type: RegistryStatsRef,
    description: 'Counts of agents by tier, status and category, and totals of stakes.',
    args: args({
      includeMismatched: withDefault<boolean>(
        true,
        bool(
          'Counts agents whose hosted card does not match its hash, which lists leave out. Stakes always count.',
        ),
      ),
    }),
    resolve: (_, { includeMismatched }, { services }) => services.registry.stats(includeMismatched !== false),
  }),
  registryGrowth: t.field({
    extensions: { units: () => SEARCH_UNITS, listSize: MAX_TIMES },
    type: ['Int'],
    description:
      'How many of the agents were registered before each time, in the order of the times. Closed agents do not count. For charts.',
    args: args({ times: required(list(time(`1 to ${MAX_TIMES} times.`))) }),
    resolve: (_, { times }, { services }) => services.registry.growth(times),
  }),
  registryStake: t.field({
    extensions: { units: () => SEARCH_UNITS, listSize: MAX_TIMES },
    type: ['U64'],
    description:
      'The sum of all deposits in USDC base units (6 decimals) at each time, in the order of the times. A time within an hour has the sum at the end of the hour. For charts.',
    args: args({ times: required(list(time(`1 to ${MAX_TIMES} times.`))) }),
    resolve: (_, { times }, { services }) => services.registry.stake(times),
  }),
  registryReputation: t.field({
    extensions: { units: () => SEARCH_UNITS, listSize: REPUTATION_STEPS },
    type: [ReputationCountRef],
    description: `How many agents have a reputation in each of ${REPUTATION_STEPS} ranges, from the lowest to the highest.`,
    resolve: (_, _args, { services }) => services.registry.reputation(),
  }),
}))
