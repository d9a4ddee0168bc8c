import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { IndexerStatus } from '../indexer-status.ts'
import type { Indexer } from './indexer.ts'

/** Slots that the tables may lie behind the ledger's tip before the service calls itself degraded. */
const MAX_HEALTHY_LAG = 75
/** The same in seconds. A leader stores its position every few seconds, whatever the ledger does. */
const MAX_HEALTHY_SECONDS = 60

/** How far the tables follow the ledger: from the indexer of this process, or, where another one leads, from the database. */
export async function indexerReport(
  indexer: Indexer | null,
  kysely: Kysely<Database>,
): Promise<IndexerStatus> {
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
