import type { Kysely } from 'kysely'
import type { Database } from '../db/tables.ts'
import type { IndexerStatus } from '../service-info/indexer-status.ts'
import type { Indexer } from './indexer/indexer.ts'

/** Slots that the tables may lie behind the ledger's tip before the service calls itself degraded. */
const MAX_HEALTHY_LAG = 75

/** How far the tables follow the ledger: from the indexer of this process, or, where another one leads, from the database. */
export async function indexerReport(
  indexer: Indexer | null,
  kysely: Kysely<Database>,
): Promise<IndexerStatus> {
  const row = await kysely
    .selectFrom('indexer_state')
    .select(['cursor_slot', 'finalized_slot'])
    .executeTakeFirst()
  const local = indexer?.status()
  const leads = local?.phase === 'live' || local?.phase === 'backfilling'
  const filled = row !== undefined && row.cursor_slot > 0
  if (local === undefined || !leads) {
    return {
      phase: local?.phase ?? 'off',
      cursorSlot: row?.cursor_slot ?? null,
      finalizedSlot: row?.finalized_slot ?? null,
      lagSlots: null,
      ready: filled,
      healthy: filled && local?.phase !== 'stopped',
    }
  }
  return {
    phase: local.phase,
    cursorSlot: local.cursorSlot,
    finalizedSlot: row?.finalized_slot ?? null,
    lagSlots: local.lagSlots,
    ready: local.phase === 'live',
    healthy: local.phase === 'live' && local.failingSince === null && local.lagSlots <= MAX_HEALTHY_LAG,
  }
}
