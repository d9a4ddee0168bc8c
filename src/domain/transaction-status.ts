export const TRANSACTION_STATUSES = ['pending', 'simulated', 'submitted', 'confirmed', 'failed'] as const
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number]

/**
 * blockhash_expired: never landed. simulation_failed: the ledger's node refused it, it was not sent.
 * execution_failed: landed and failed, the fee was paid. dropped: landed, was taken back by a fork, and expired.
 */
export const FAILURE_CODES = [
  'blockhash_expired',
  'simulation_failed',
  'execution_failed',
  'dropped',
] as const

/** Why a transaction has the status `failed`. */
export interface TransactionFailure {
  readonly code: (typeof FAILURE_CODES)[number]
  readonly message: string
  readonly logs?: readonly string[]
}
