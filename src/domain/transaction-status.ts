export type TransactionStatus = 'pending' | 'simulated' | 'submitted' | 'confirmed' | 'failed'

/**
 * blockhash_expired: it never landed. simulation_failed: a node refused it before it was sent.
 * execution_failed: it landed with an error and cost its fee. dropped: a fork removed it and it
 * expired. outcome_unknown: it expired, and the search on the ledger reached its limits.
 */
export const FAILURE_CODES = [
  'blockhash_expired',
  'simulation_failed',
  'execution_failed',
  'dropped',
  'outcome_unknown',
] as const

/** Why a transaction has the status `failed`. */
export interface TransactionFailure {
  readonly code: (typeof FAILURE_CODES)[number]
  readonly message: string
  readonly logs?: readonly string[]
}
