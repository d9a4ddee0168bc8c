import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { Indexer } from './indexer.ts'

/** Slots that the tables may lie behind the ledger's tip before the service calls itself degraded. */
const MAX_HEALTHY_LAG = 75
/** The same in seconds. A leader stores its position every few seconds, whatever the ledger does. */
const MAX_HEALTHY_SECONDS = 60

/** How far the tables follow the ledger: from the indexer of this process, or, where another one leads, from the database. */
export async function readIndexerHealth(
  indexer: Indexer | null,
  kysely: Kysely<Database>,
): Promise<IndexerHealth> {
  const row = await kysely
    .selectFrom('indexer_state')
    .select(['cursor_slot', 'finalized_slot'])
    .select(sql<number>`extract(epoch from now() - updated_at)::float8`.as('silent_seconds'))
    .select(sql<number>`(select count(*) from dead_letters)`.as('dead_letters'))
    .executeTakeFirst()
  const deadLetters = row?.dead_letters ?? null
  const local = indexer?.status()
  const leads = local?.phase === 'live' || local?.phase === 'backfilling'
  const filled = row !== undefined && row.cursor_slot > 0
  if (local === undefined || !leads) {
    return {
      phase: local?.phase ?? 'off',
      cursorSlot: row?.cursor_slot ?? null,
      finalizedSlot: row?.finalized_slot ?? null,
      lagSlots: null,
      lagSeconds: row === undefined ? null : Math.max(0, row.silent_seconds),
      deadLetters,
      ready: filled,
      healthy: filled && local?.phase !== 'stopped' && row.silent_seconds <= MAX_HEALTHY_SECONDS,
    }
  }
  return {
    phase: local.phase,
    cursorSlot: local.cursorSlot,
    finalizedSlot: row?.finalized_slot ?? null,
    lagSlots: local.lagSlots,
    lagSeconds: local.lagSeconds,
    deadLetters,
    ready: local.phase === 'live',
    healthy:
      local.phase === 'live' &&
      local.failingSince === null &&
      local.lagSlots <= MAX_HEALTHY_LAG &&
      local.lagSeconds <= MAX_HEALTHY_SECONDS,
  }
}

/** How far the tables follow the ledger. */
export interface IndexerHealth {
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
