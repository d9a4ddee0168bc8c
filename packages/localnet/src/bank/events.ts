import type { Pubkey } from '@agent-registry/solana'
import type { Commitment } from './block.ts'
import type { TransactionRecord } from './transaction-record.ts'

/** The transactions of a slot, or one of them, and the accounts that they changed. */
export interface SlotChanges {
  readonly slot: number
  readonly records: readonly TransactionRecord[]
  readonly touched: ReadonlySet<Pubkey>
}

/** Receives events after the state of the bank has changed. */
export interface BankListener {
  slotStarted?(slot: { slot: number; parent: number; root: number }): void
  /** Called for each transaction when it is processed, and for each block at the other levels. */
  committed?(commitment: Commitment, changes: SlotChanges): void
}
