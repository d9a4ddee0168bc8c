/** How far the tables follow the ledger. */
export interface IndexerStatus {
  /** What the indexer is at, for instance starting, backfill, live, or off where another process indexes. */
  readonly phase: string
  /** Everything up to this slot is in the tables; null before the first. */
  readonly cursorSlot: number | null
  readonly finalizedSlot: number | null
  /** Slots between the ledger's tip and what the tables show; null where the tip is not known. */
  readonly lagSlots: number | null
  /**
   * Seconds since the tables last held all that the node showed; before that first was so, estimated from `lagSlots`. Where another
   * process indexes: since that one last wrote, which it does every few seconds. Null where nothing is known.
   */
  readonly lagSeconds: number | null
  /** What could not be read from the ledger, and is told by no table; null where not known. */
  readonly deadLetters: number | null
  /** The tables were filled once, so that reads are worth answering. */
  readonly ready: boolean
  /** False while the indexer is stopped by an error or falls behind. */
  readonly healthy: boolean
}
