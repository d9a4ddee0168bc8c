import type { Pubkey } from '@agent-registry/solana'
import type { AgentStatus, ServiceCategory, Tier } from './enums.ts'

/**
 * What the IDL codec yields for each account and event of the registry program (program/idl.json).
 * u64 and i64 are bigint (amounts in USDC base units, times in Unix seconds), hashes 32 bytes.
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

interface OfAgent {
  agent: Pubkey
  owner: Pubkey
  timestamp: bigint
}

interface StatusChange extends OfAgent {
  oldStatus: AgentStatus
  newStatus: AgentStatus
}

interface StakeMovement extends OfAgent {
  stake: Pubkey
  amount: bigint
  depositedAmount: bigint
  lockedAmount: bigint
  pendingWithdrawal: bigint
}

export interface RegistryEvents {
  AgentRegistered: OfAgent &
    AgentMetadata & { tier: Tier; status: AgentStatus; reputationScore: number; rentPayer: Pubkey }
  AgentUpdated: OfAgent & { old: AgentMetadata; new: AgentMetadata }
  ReputationUpdated: OfAgent & {
    oldScore: number
    newScore: number
    delta: number
    reporter: Pubkey
    reason: number
  }
  TierUpdated: OfAgent & { oldTier: Tier; newTier: Tier; stakeAmount: bigint }
  AgentSuspended: StatusChange & { byAdmin: boolean }
  AgentReactivated: StatusChange & { byAdmin: boolean }
  AgentDeactivated: StatusChange & { finalReputation: number }
  AgentClosed: OfAgent
  StakeDeposited: StakeMovement
  WithdrawalRequested: StakeMovement
  WithdrawalCancelled: StakeMovement
  StakeWithdrawn: StakeMovement
  StakeClosed: StakeMovement
}

type Named<Map> = { [Name in keyof Map]: { name: Name; data: Map[Name] } }[keyof Map]

export type RegistryAccount = Named<RegistryAccounts>
export type RegistryEvent = Named<RegistryEvents>
