import type { Clock } from '../../platform/clock.ts'

export type IndexerPhase = 'starting' | 'standby' | 'backfilling' | 'live' | 'stopped'

export interface IndexerStatus {
  phase: IndexerPhase
  /** Everything up to this slot is in the tables. */
  cursorSlot: number
  /** The newest slot known of the ledger, at the indexer's commitment. */
  tipSlot: number
  lagSlots: number
  /** Seconds since the tables last held all that the node showed; before that first was so, estimated from `lagSlots`. */
  lagSeconds: number
  /** Unix milliseconds at which that was last so; null before. */
  coveredAt: number | null
  /** Everything up to this slot was compared with the finalized ledger. */
  finalizedSlot: number
  deadLetters: number
  /** ISO 8601 time at which events were last written; null before the first. */
  lastEventAt: string | null
  subscribed: boolean
  /** ISO 8601 time since which neither the node nor the database could be worked with; null while all is well. */
  failingSince: string | null
  counters: IndexerCounters
}

/** Since this process started. */
export interface IndexerCounters {
  transactions: number
  events: number
  orphaned: number
  /** Transactions that were read before they were final, and are now. */
  finalized: number
  /** Found by the check of finality, not by the live path. */
  late: number
  failures: number
}

export const newCounters = (): IndexerCounters => ({
  transactions: 0,
  events: 0,
  orphaned: 0,
  finalized: 0,
  late: 0,
  failures: 0,
})

export function noteFailure(status: IndexerStatus, clock: Clock): void {
  status.counters.failures += 1
  status.failingSince ??= new Date(clock.now()).toISOString()
}

const NOMINAL_SLOT_SECONDS = 0.4

/** How far the tables are behind, as of now. */
export function lagOf(
  { tipSlot, cursorSlot, coveredAt }: IndexerStatus,
  clock: Clock,
): { lagSlots: number; lagSeconds: number } {
  const lagSlots = Math.max(0, tipSlot - cursorSlot)
  const lagSeconds =
    coveredAt === null ? lagSlots * NOMINAL_SLOT_SECONDS : Math.max(0, clock.now() - coveredAt) / 1_000
  return { lagSlots, lagSeconds }
}
