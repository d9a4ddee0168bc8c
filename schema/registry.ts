import type { RegistryConfig } from '../src/agents/registry-config.ts'
import type { RegistryStats } from '../src/agents/registry-stats.ts'
import { builder } from './builder.ts'
import { AgentStatus, ServiceCategory, Tier } from './registry-enums.ts'

const agents = { description: 'Number of agents.' }

const TierThresholdRef = builder.objectRef<RegistryConfig['tiers'][number]>('TierThreshold').implement({
  description: 'The stake that a tier requires.',
  fields: (t) => ({
    tier: t.expose('tier', { description: 'The tier.', type: Tier }),
    minimumStake: t.expose('minimumStake', {
      description: 'Least stake in USDC base units (6 decimals).',
      type: 'U64',
    }),
  }),
})

const RegistryConfigRef = builder.objectRef<RegistryConfig>('RegistryConfig').implement({
  description: 'The settings of the registry program.',
  fields: (t) => ({
    pda: t.expose('pda', { description: 'Address of the config account.', type: 'Pubkey' }),
    admin: t.expose('admin', { description: 'Wallet of the admin.', type: 'Pubkey' }),
    usdcMint: t.expose('usdcMint', { description: 'Mint of the token that is staked.', type: 'Pubkey' }),
    treasury: t.expose('treasury', { description: 'Address of the treasury.', type: 'Pubkey' }),
    tiers: t.field({
      type: [TierThresholdRef],
      description: 'All tiers, from the lowest to the highest.',
      resolve: ({ tiers }) => [...tiers],
    }),
    cooldownSeconds: t.expose('cooldownSeconds', {
      description: 'Seconds between the request of a withdrawal and its completion.',
      type: 'SafeInt',
    }),
    paused: t.exposeBoolean('paused', {
      description: 'Whether the admin paused the registry. Withdrawals still work.',
    }),
  }),
})

const TierCountRef = builder.objectRef<RegistryStats['byTier'][number]>('TierCount').implement({
  description: 'The agents of a tier.',
  fields: (t) => ({
    tier: t.expose('tier', { description: 'The tier.', type: Tier }),
    agents: t.exposeInt('agents', agents),
  }),
})

const StatusCountRef = builder.objectRef<RegistryStats['byStatus'][number]>('StatusCount').implement({
  description: 'The agents with a status.',
  fields: (t) => ({
    status: t.expose('status', { description: 'The status.', type: AgentStatus }),
    agents: t.exposeInt('agents', agents),
  }),
})

const CategoryCountRef = builder.objectRef<RegistryStats['byCategory'][number]>('CategoryCount').implement({
  description: 'The agents of a service category.',
  fields: (t) => ({
    category: t.expose('category', { description: 'The service category.', type: ServiceCategory }),
    agents: t.exposeInt('agents', agents),
  }),
})

const RegistryStatsRef = builder.objectRef<RegistryStats>('RegistryStats').implement({
  description: 'Exact counts and sums of the registry. Closed agents do not count.',
  fields: (t) => ({
    agents: t.exposeInt('agents', { description: 'Number of agents, with those of a mismatched card.' }),
    mismatchedAgents: t.exposeInt('mismatchedAgents', {
      description: 'Number of agents whose hosted card does not match its hash. Lists leave them out.',
    }),
    byTier: t.field({
      type: [TierCountRef],
      description: 'Agents by tier, from the lowest tier to the highest.',
      resolve: ({ byTier }) => [...byTier],
    }),
    byStatus: t.field({
      type: [StatusCountRef],
      description: 'Agents by status.',
      resolve: ({ byStatus }) => [...byStatus],
    }),
    byCategory: t.field({
      type: [CategoryCountRef],
      description: 'Agents by service category.',
      resolve: ({ byCategory }) => [...byCategory],
    }),
    stakes: t.exposeInt('stakes', { description: 'Number of stake accounts.' }),
    depositedAmount: t.expose('depositedAmount', {
      description: 'Sum of all deposits in USDC base units (6 decimals).',
      type: 'U64',
    }),
    lockedAmount: t.expose('lockedAmount', {
      description: 'Sum of all locked amounts in USDC base units.',
      type: 'U64',
    }),
    pendingWithdrawals: t.expose('pendingWithdrawals', {
      description: 'Sum of all requested withdrawals in USDC base units.',
      type: 'U64',
    }),
  }),
})

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
    resolve: (_, _args, { services }) => services.registry.stats(),
  }),
}))
