import type { TransactionRow } from '../../../src/transactions/transaction-store.ts'

/** A transaction that was submitted and not sent. Tests add the columns that they need. */
export const SUBMITTED = {
  status: 'submitted',
  slot: null,
  error: null,
  landed: false,
  misses: 0,
  sentAt: null,
  accepted: false,
  settled: false,
  sponsored: false,
} as const satisfies Partial<TransactionRow>
