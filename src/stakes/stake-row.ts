import { sql } from 'kysely'

/** A stake account; amounts are USDC base units (6 decimals), u64 in decimal. */
export interface StakeRow {
  pda: string
  agentPda: string
  owner: string
  depositedAmount: string
  lockedAmount: string
  pendingWithdrawal: string
}

export const stakeColumns = sql`stakes.pda, stakes.agent_pda as "agentPda", stakes.owner,
  stakes.deposited_amount as "depositedAmount", stakes.locked_amount as "lockedAmount",
  stakes.pending_withdrawal as "pendingWithdrawal"`
