import type { Pubkey } from '@agent-registry/solana'
import type { AgentStatus, ServiceCategory, Tier } from './enums.ts'

/**
 * The decoded accounts of the program. u64 and i64 are bigint. Amounts are USDC base units, times
 * are Unix seconds, and hashes are 32 bytes.
 */
export interface RegistryAccounts {
  RegistryConfig: {
    admin: Pubkey
    usdcMint: Pubkey
    treasury: Pubkey
    tierThresholds: bigint[]
    cooldownSeconds: bigint
    paused: boolean
    bump: number
  }
  Agent: AgentMetadata & {
    owner: Pubkey
    tier: Tier
    status: AgentStatus
    reputationScore: number
    createdAt: bigint
    updatedAt: bigint
    reputationUpdatedAt: bigint
    bump: number
    reputationChangeToday: number
    reputationDayStart: bigint
    tierEffectiveAt: bigint
    suspendedByAdmin: boolean
    rentPayer: Pubkey
  }
  Stake: {
    agent: Pubkey
    owner: Pubkey
    depositedAmount: bigint
    lockedAmount: bigint
    pendingWithdrawal: bigint
    bump: number
    rentPayer: Pubkey
  }
  WithdrawalRequest: { stake: Pubkey; amount: bigint; requestedAt: bigint; bump: number }
  ReputationReporter: {
    authority: Pubkey
    registeredBy: Pubkey
    label: string
    weight: number
    totalReports: bigint
    active: boolean
    bump: number
  }
  DeactivationRecord: { owner: Pubkey; deactivatedAt: bigint; finalReputation: number; bump: number }
}

export interface AgentMetadata {
  name: string
  serviceCategory: ServiceCategory
  capabilities: bigint
  version: string
  agentCardUrl: string
  agentCardHash: Uint8Array
}

interface AgentEvent {
  agent: Pubkey
  owner: Pubkey
  timestamp: bigint
}

interface StatusChange extends AgentEvent {
  oldStatus: AgentStatus
  newStatus: AgentStatus
}

interface StakeMovement extends AgentEvent {
  stake: Pubkey
  amount: bigint
  depositedAmount: bigint
  lockedAmount: bigint
  pendingWithdrawal: bigint
}

/** The decoded events of the program. Balances are those after the instruction. */
export interface RegistryEvents {
  AgentRegistered: AgentEvent &
    AgentMetadata & { tier: Tier; status: AgentStatus; reputationScore: number; rentPayer: Pubkey }
  AgentUpdated: AgentEvent & { old: AgentMetadata; new: AgentMetadata }
  ReputationUpdated: AgentEvent & {
    oldScore: number
    newScore: number
    delta: number
    reporter: Pubkey
    reason: number
  }
  TierUpdated: AgentEvent & { oldTier: Tier; newTier: Tier; stakeAmount: bigint }
  AgentSuspended: StatusChange & { byAdmin: boolean }
  AgentReactivated: StatusChange & { byAdmin: boolean }
  AgentDeactivated: StatusChange & { finalReputation: number }
  AgentClosed: AgentEvent
  StakeDeposited: StakeMovement
  WithdrawalRequested: StakeMovement
  WithdrawalCancelled: StakeMovement
  StakeWithdrawn: StakeMovement
  StakeClosed: StakeMovement
}

type Named<Map> = { [Name in keyof Map]: { name: Name; data: Map[Name] } }[keyof Map]

export type RegistryAccount = Named<RegistryAccounts>
export type RegistryEvent = Named<RegistryEvents>
