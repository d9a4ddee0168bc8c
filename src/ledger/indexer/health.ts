import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { isAdvisoryLockHeld } from '../../db/advisory-lock.ts'
import type { Indexer } from './indexer.ts'
import type { IndexerPhase } from './status.ts'

/** Maximum distance of a healthy indexer from the tip of the ledger. */
const MAX_HEALTHY_DISTANCE_SECONDS = 30
/** A leader stores its position every few seconds, even if the ledger has no new transactions. */
const MAX_HEALTHY_LAG_SECONDS = 60

/** Another process takes over within this time when the leader stops. */
const TAKE_OVER_SECONDS = 15

/** How up to date the tables are. */
export interface IndexerHealth {
  /** Of the indexer of this process: `off` if it has none, `unknown` without the database. */
  readonly phase: IndexerPhase | 'off' | 'unknown'
  /** The tables contain everything up to this slot. Null before the first. */
  readonly cursorSlot: number | null
  readonly finalizedSlot: number | null
  /** Slots between the tables and the tip of the ledger. Null if the tip is unknown. */
  readonly lagSlots: number | null
  /**
   * Seconds since the tables last contained everything. If another process indexes, it stores this
   * every few seconds. Null if unknown.
   */
  readonly lagSeconds: number | null
  /** Data of the ledger that could not be read. Null if unknown. */
  readonly deadLetters: number | null
  /** The tables were filled once. */
  readonly ready: boolean
  /** No transaction of the registry was read: there is none yet, or its address is wrong. */
  readonly isEmpty: boolean
  /** A process holds the lock of the indexer, or did until a moment ago. */
  readonly hasLeader: boolean
  /** False if the indexer has stopped or is too far behind. */
  readonly healthy: boolean
}

/** From the indexer of this process if it is the leader, otherwise from the database. */
export async function readIndexerHealth(
  indexer: Indexer | null,
  kysely: Kysely<Database>,
): Promise<IndexerHealth> {
  const row = await kysely
    .selectFrom('indexer_state')
    .select(['finalized_slot', 'filled_at', 'cursor_signature'])
    .select(sql<number>`greatest(cursor_slot, caught_up_slot)`.as('cursor_slot'))
    .select(sql<number>`extract(epoch from now() - updated_at)::float8`.as('seconds_since_write'))
    .select(sql<number>`extract(epoch from now() - least(updated_at, caught_up_at))::float8`.as('age'))
    .select(sql<number>`(select count(*) from dead_letters)`.as('dead_letters'))
    .executeTakeFirst()
  const status = indexer?.status()
  const stored = {
    phase: status?.phase ?? ('off' as const),
    cursorSlot: row?.cursor_slot ?? null,
    finalizedSlot: row?.finalized_slot ?? null,
    deadLetters: row?.dead_letters ?? null,
    isEmpty: (row?.cursor_signature ?? null) === null,
  }
  const ready = row !== undefined && row.filled_at !== null
  if (status?.phase === 'live' || status?.phase === 'backfilling') {
    const { slotSeconds, lagSlots, lagSeconds } = status
    const cursorSlot = Math.max(status.cursorSlot, row?.cursor_slot ?? 0)
    const isNear = lagSlots * slotSeconds <= MAX_HEALTHY_DISTANCE_SECONDS
    const isCurrent = isNear && lagSeconds <= MAX_HEALTHY_LAG_SECONDS
    const healthy = ready && status.phase === 'live' && status.failingSince === null && isCurrent
    return { ...stored, cursorSlot, lagSlots, lagSeconds, ready, hasLeader: true, healthy }
  }
  const lagSeconds = row === undefined ? null : Math.max(0, row.age)
  const isCurrent = lagSeconds !== null && lagSeconds <= MAX_HEALTHY_LAG_SECONDS
  return {
    ...stored,
    lagSlots: null,
    lagSeconds,
    ready,
    hasLeader:
      (row?.seconds_since_write ?? Infinity) < TAKE_OVER_SECONDS ||
      (await isAdvisoryLockHeld(kysely, 'indexer')),
    healthy: ready && stored.phase !== 'stopped' && isCurrent,
  }
}
