import { sql } from 'kysely'
import type { IndexerEngine } from '../engine.ts'
import { listSignatures } from '../fetch/signature-listing.ts'

const MAX_GAPS = 100

/**
 * Reads skipped history if a node lists it now. Returns the number of filled gaps. A gap that no
 * node can fill costs one call. `recent` gaps are at most ten minutes old: most outages end by
 * then.
 */
export async function fillHistoryGaps(engine: IndexerEngine, which: 'recent' | 'all'): Promise<number> {
  const { rpc, programId, commitment, db } = engine.options
  const gaps = await db()
    .selectFrom('dead_letters')
    .select(['id', 'signature', 'slot', 'data'])
    .where('kind', '=', 'missing_history')
    .where('data', 'is not', null)
    .$if(which === 'recent', (query) => query.where(sql<boolean>`created_at > now() - interval '10 minutes'`))
    .$narrowType<{ data: string }>()
    .orderBy('slot', 'desc')
    .limit(MAX_GAPS)
    .execute()
  let filled = 0
  for (const { id, signature: until, slot: minSlot, data: before } of gaps) {
    const listing = await listSignatures(rpc, { programId, commitment, before, until, minSlot })
    if (!listing.complete) continue
    await engine.ingest(listing.oldestFirst())
    await engine.store(async (tx) => {
      await tx.deleteFrom('dead_letters').where('id', '=', id).execute()
    })
    filled += 1
  }
  return filled
}
