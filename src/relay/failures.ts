import type { TransactionFailure } from '../domain/transaction-status.ts'

export const EXPIRED: TransactionFailure = {
  code: 'blockhash_expired',
  message:
    'The block height passed lastValidBlockHeight, and the transaction is not on the ledger. Prepare the transaction again.',
}

export const DROPPED: TransactionFailure = {
  code: 'dropped',
  message: 'A fork removed the transaction from the ledger and it expired. Prepare it again.',
}

export const OUTCOME_UNKNOWN: TransactionFailure = {
  code: 'outcome_unknown',
  message:
    'The block height passed lastValidBlockHeight. It could not be determined whether the transaction landed. Check the ledger before you prepare it again.',
}
