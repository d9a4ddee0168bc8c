/** How far the tables follow the ledger. */
export interface IndexerStatus {
  /** What the indexer is at, for instance starting, backfill, live, or off where another process indexes. */
  readonly phase: string
  /** Everything up to this slot is in the tables; null before the first. */
  readonly cursorSlot: number | null
  readonly finalizedSlot: number | null
  /** Slots between the ledger's tip and what the tables show; null where the tip is not known. */
  readonly lagSlots: number | null
  /** The tables were filled once, so that reads are worth answering. */
  readonly ready: boolean
  /** False while the indexer is stopped by an error or falls behind. */
  readonly healthy: boolean
}
