import { defineEntity, p } from '@mikro-orm/core'
import type { AgentStatus, ServiceCategory, Tier } from '@agent-registry/program'
import { int8, key, timestamp, transactionId, u64 } from './columns.ts'

/** A registered agent, as its account on the ledger describes it. */
export const Agent = defineEntity({
  name: 'Agent',
  tableName: 'agents',
  properties: {
    pda: key().primary(),
    owner: key(),
    name: p.text(),
    tier: p.text().$type<Tier>(),
    status: p.text().$type<AgentStatus>(),
    serviceCategory: p.text().$type<ServiceCategory>(),
    /** 0 to 1000. */
    reputationScore: p.integer(),
    /** Bit mask. */
    capabilities: u64(),
    version: p.text(),
    agentCardUrl: p.text(),
    /** Lower-case hex of 32 bytes. */
    agentCardHash: p.text(),
    /** Off-chain: the last result of the agent card check. */
    cardHashMismatch: p.boolean().default(false),
    suspendedByAdmin: p.boolean(),
    reputationChangeToday: p.integer(),
    reputationDayStart: timestamp(),
    reputationUpdatedAt: timestamp(),
    tierEffectiveAt: timestamp(),
    rentPayer: key(),
    bump: p.smallint(),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    /** The slot at which the account was read. An older read never replaces a newer one. */
    slot: int8(),
    /** The transaction that last changed the row, for copies in memory. Set by triggers. */
    searchXid: transactionId().nullable(),
  },
})

/** The exact number of agents for each combination of filters. Triggers of `agents` update it. */
export const AgentCount = defineEntity({
  name: 'AgentCount',
  tableName: 'agent_counts',
  properties: {
    tier: p.text().$type<Tier>().primary(),
    status: p.text().$type<AgentStatus>().primary(),
    serviceCategory: p.text().$type<ServiceCategory>().primary(),
    cardHashMismatch: p.boolean().primary(),
    count: int8(),
  },
})

/** Agents that were deleted, for copies in memory. Triggers of `agents` write it. */
export const RemovedAgent = defineEntity({
  name: 'RemovedAgent',
  tableName: 'removed_agents',
  properties: {
    pda: key().primary(),
    searchXid: transactionId(),
  },
})
