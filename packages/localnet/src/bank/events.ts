import type { Pubkey } from '@agent-registry/solana'
import type { Block, Commitment } from './block.ts'
import type { TransactionRecord } from './transaction-record.ts'

/** A block with what it holds, kept while it is not final. */
export interface BlockContent {
  readonly block: Block
  readonly records: readonly TransactionRecord[]
  readonly touched: ReadonlySet<Pubkey>
}

/** What subscriptions need to hear of. Called after the state has changed. */
export interface BankListener {
  /** Work on the slot began. */
  slotStarted?(slot: { slot: number; parent: number; root: number }): void
  /** A transaction ran in the slot that is being made: commitment processed. */
  transactionRan?(record: TransactionRecord, touched: ReadonlySet<Pubkey>): void
  blockReached?(commitment: Exclude<Commitment, 'processed'>, content: BlockContent): void
}
