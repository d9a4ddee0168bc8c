import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'

/** A withdrawal that was requested and is neither completed nor cancelled. */
export interface WithdrawalRow {
  readonly stakePda: string
  /** USDC base units (6 decimals), in decimal. */
  readonly amount: string
  readonly requestedAt: string
  /** With the cooldown of the registry as it is now. Null if the registry is not initialised. */
  readonly completableAt: string | null
}

/** The open withdrawals of these stakes, in no order. */
export async function findWithdrawals(
  kysely: Kysely<Database>,
  stakePdas: readonly string[],
): Promise<WithdrawalRow[]> {
  const { rows } = await sql<WithdrawalRow>`
    select stake_pda as "stakePda", amount, requested_at as "requestedAt",
      requested_at + (select cooldown_seconds from registry_config limit 1) * interval '1 second' as "completableAt"
    from withdrawal_requests where stake_pda = any(${stakePdas}::text[])`.execute(kysely)
  return rows
}
