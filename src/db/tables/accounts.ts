import type { Timestamp, U64 } from './columns.ts'

/** Amounts in USDC base units. */
export interface StakesTable {
  pda: string
  agent_pda: string
  owner: string
  deposited_amount: U64
  locked_amount: U64
  pending_withdrawal: U64
  rent_payer: string
  bump: number
  slot: number
}

export interface RegistryConfigTable {
  pda: string
  admin: string
  usdc_mint: string
  treasury: string
  /** USDC base units for observer, basic, standard and premium, as decimal text. */
  tier_thresholds: string[]
  cooldown_seconds: number
  paused: boolean
  bump: number
  slot: number
}

export interface WithdrawalRequestsTable {
  pda: string
  stake_pda: string
  amount: U64
  requested_at: Timestamp
  bump: number
  slot: number
}

export interface ReputationReportersTable {
  pda: string
  authority: string
  registered_by: string
  label: string
  weight: number
  total_reports: U64
  active: boolean
  bump: number
  slot: number
}

export interface DeactivationRecordsTable {
  pda: string
  owner: string
  deactivated_at: Timestamp
  final_reputation: number
  bump: number
  slot: number
}

export interface ClosedAccountsTable {
  pda: string
  slot: number
}
