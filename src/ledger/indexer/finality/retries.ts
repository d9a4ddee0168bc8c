import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import type { DeadLetterKind } from '../../../domain/dead-letters.ts'
import { UNREAD_TRANSACTION_KINDS } from '../../decode/rows.ts'
import type { IndexerEngine } from '../engine.ts'
import { fetchStatuses } from '../fetch/fetch-transactions.ts'
import { listSignatures } from '../fetch/signature-listing.ts'

/** A gap without a signature above it cannot be listed. */
const CAN_RETRY = sql<boolean>`(kind = any(${UNREAD_TRANSACTION_KINDS})
  or kind = 'missing_history' and data is not null)`
const NEWEST = 50

/** The newest 50 records of the ledger that the indexer could not read. */
export const readDeadLetters = (db: Kysely<Database>) =>
  db
    .selectFrom('dead_letters')
    .select(['id', 'kind', 'signature', 'pda as account', 'slot', 'reason', 'created_at as createdAt'])
    .select(['retry_requested_at as retryRequestedAt', CAN_RETRY.as('canRetry')])
    .orderBy('slot', 'desc')
    .orderBy('id')
    .limit(NEWEST)
    .execute()

/**
 * Lets the indexer retry a dead letter soon. Another request before that changes nothing. False if
 * there is no such dead letter, or a retry cannot help.
 */
export async function requestRetry(db: Kysely<Database>, id: string): Promise<boolean> {
  const { rows } = await sql`
    with marked as (
      update dead_letters set retry_requested_at = now()
      where id = ${id} and ${CAN_RETRY} and retry_requested_at is null
    )
    select from dead_letters where id = ${id} and ${CAN_RETRY}`.execute(db)
  return rows.length > 0
}

interface Due {
  /** Those that are retried without a request. */
  readonly all: boolean
  /** Those that an operator asked for. */
  readonly requested: boolean
}

const MAX_RETRIES = 100

/** The dead letters of these kinds that are due. Those that an operator asked for come first. */
const selectDue = (
  engine: IndexerEngine,
  kinds: readonly DeadLetterKind[],
  { requested }: Due,
  others: ReturnType<typeof sql<SqlBool>>,
) =>
  engine.options
    .db()
    .selectFrom('dead_letters')
    .select(['id', 'signature', 'slot', 'data'])
    .where('kind', 'in', kinds)
    .where(CAN_RETRY)
    .where(sql<SqlBool>`(${others} or ${requested} and retry_requested_at is not null)`)
    .orderBy(sql`retry_requested_at`)
    .limit(MAX_RETRIES)

/** Only after the nodes responded: a request stays while none responds. */
async function removeRequests({ options }: IndexerEngine, ids: readonly string[]): Promise<void> {
  await options
    .db()
    .updateTable('dead_letters')
    .set({ retry_requested_at: null })
    .where('id', 'in', ids)
    .where('retry_requested_at', 'is not', null)
    .execute()
}

/**
 * Fetches missing transactions again. Unreadable ones only on request, for which an operator has a
 * reason: an upgrade or another node.
 */
export async function retryTransactions(engine: IndexerEngine, due: Due): Promise<void> {
  if (!due.all && !due.requested) return
  const others = sql<SqlBool>`(${due.all} and kind = 'missing_transaction')`
  const letters = await selectDue(engine, UNREAD_TRANSACTION_KINDS, due, others).orderBy('slot').execute()
  if (letters.length === 0) return
  const signatures = letters.flatMap(({ signature }) => signature ?? [])
  const found = await fetchStatuses(engine.options.rpc, signatures)
  if (found.length > 0) await engine.ingest([found])
  await removeRequests(
    engine,
    letters.map(({ id }) => id),
  )
}

/**
 * Reads skipped history if a node lists it now. Returns the number of filled gaps. A gap that no
 * node can fill costs one call. Gaps of the last ten minutes are always due: most outages end by
 * then.
 */
export async function fillHistoryGaps(engine: IndexerEngine, due: Due): Promise<number> {
  const { rpc, programId, commitment } = engine.options
  const others = sql<SqlBool>`(${due.all} or created_at > now() - interval '10 minutes')`
  const gaps = await selectDue(engine, ['missing_history'], due, others)
    .orderBy('slot', 'desc')
    .$narrowType<{ data: string }>()
    .execute()
  let filled = 0
  for (const { id, signature: until, slot: minSlot, data: before } of gaps) {
    const listing = await listSignatures(rpc, { programId, commitment, before, until, minSlot })
    if (!listing.complete) {
      await removeRequests(engine, [id])
      continue
    }
    await engine.ingest(listing.oldestFirst())
    await engine.store(async (tx) => {
      await tx.deleteFrom('dead_letters').where('id', '=', id).execute()
    })
    filled += 1
  }
  return filled
}
