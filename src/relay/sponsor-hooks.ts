import type { WireTransaction } from '@agent-registry/solana'
import type { BuildTransaction, PreparedTransactionView, PrepareInput } from './prepare.ts'
import type { TransactionRow } from './record.ts'

/** What the relay leaves to `src/sponsorship`: everything about transactions that the service pays. */
export interface SponsorHooks {
  /** A transaction that is no registration. */
  prepare(input: PrepareInput, clientIp: string, build: BuildTransaction): Promise<PreparedTransactionView>
  /** Throws where a sponsored transaction may not be submitted without more ado. */
  authorize(row: TransactionRow): Promise<void>
  /**
   * Signs as the fee payer what is fit to be signed and stores it, as `submitted`; or stores the failure of its simulation. Null where
   * somebody else wrote first. The transaction matches the prepared one.
   */
  countersign(row: TransactionRow, transaction: WireTransaction): Promise<TransactionRow | null>
}
