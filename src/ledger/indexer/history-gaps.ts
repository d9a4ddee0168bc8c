import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import { type Backlog, listBacklog } from './fetch/signature-listing.ts'
import type { DeadLetterRow, SignatureInfo } from '../decode/rows.ts'
import type { EngineOptions } from './engine-options.ts'
import type { IndexerPosition } from './position.ts'
import { writeDeadLetters } from './write/write-events.ts'

/** How often in a row a listing that does not reach the cursor is taken for a lag. */
const DOUBTED = 5
/** The same, about a minute, while a node that may have the history does not answer. */
const DOUBTED_IF_UNCERTAIN = 15
/** Letters looked at in a row. */
const AT_ONCE = 100

/** The part of the engine that gaps are read with. */
export interface GapEngine {
  readonly options: EngineOptions
  readonly position: IndexerPosition
  sweepDue: boolean
  ingest(infos: readonly SignatureInfo[]): Promise<void>
  store(
    work: (db: Kysely<Database>) => Promise<void>,
    change?: (position: IndexerPosition) => IndexerPosition,
  ): Promise<void>
}

/** What listings mean that end above what was read before. */
export class HistoryGaps {
  #seen = 0

  none(): void {
    this.#seen = 0
  }

  /**
   * Throws while the nodes may only lag. If they go on so, what they do not list is passed over, with a letter that says where: it holds both
   * ends of the gap, so that `fillHistoryGaps` finds it whatever was read since.
   */
  async found(engine: GapEngine, { certain, oldest }: Backlog): Promise<void> {
    this.#seen += 1
    if (this.#seen <= (certain ? DOUBTED : DOUBTED_IF_UNCERTAIN))
      throw new LedgerRpcError('transport', "the node's history ends above what was read before")
    const { slot, signature } = engine.position.cursor
    const letter: DeadLetterRow = {
      id: `missing_history/${signature}`,
      kind: 'missing_history',
      signature,
      pda: null,
      slot,
      reason: "the node's history ends above this transaction: what came next is not known",
      data: oldest ?? null,
    }
    // No node lists that transaction any more, so no check of finality would ever reach it.
    await engine.store(
      (db) => writeDeadLetters(db, [letter]),
      (position) => ({ ...position, finalizedSignature: null }),
    )
    engine.sweepDue = true
  }
}

/**
 * Reads what was passed over where a node shows it now; returns how many gaps are none any more. A gap that stays costs one call. Recent ones are
 * those of the last ten minutes: most outages are over by then.
 */
export async function fillHistoryGaps(engine: GapEngine, which: 'recent' | 'all'): Promise<number> {
  const { rpc, programId, commitment, db } = engine.options
  const letters = await db()
    .selectFrom('dead_letters')
    .select(['id', 'signature', 'slot', 'data'])
    .where('kind', '=', 'missing_history')
    .where('data', 'is not', null)
    .$if(which === 'recent', (query) => query.where(sql<boolean>`created_at > now() - interval '10 minutes'`))
    .orderBy('slot', 'desc')
    .limit(AT_ONCE)
    .execute()
  let filled = 0
  for (const { id, signature, slot, data: before } of letters) {
    if (before === null) continue
    const backlog = await listBacklog(rpc, { programId, commitment, before, until: signature, minSlot: slot })
    if (!backlog.complete) continue
    for await (const page of backlog.oldestFirst()) await engine.ingest(page)
    await engine.store(async (tx) => {
      await tx.deleteFrom('dead_letters').where('id', '=', id).execute()
    })
    filled += 1
  }
  return filled
}
