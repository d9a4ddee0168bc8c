import { chunksOf, settleBoth } from '../../platform/async/promises.ts'
import { deadLetter } from '../decode/rows.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import type { IndexerEngine } from './engine.ts'
import { assertComplete, hasTransactions, listSignatures } from './fetch/signature-listing.ts'
import { FINALITY_OVERLAP_SLOTS } from './position.ts'
import { writeDeadLetters } from './write/write-events.ts'
import { pipelined } from '../../platform/async/pipeline.ts'
import { listAccounts } from './fetch/fetch-accounts.ts'

/** Incomplete listings in a row that count as a lag of the node. Later ones are a gap. */
const MAX_INCOMPLETE = 5
/** The same, about a minute, while a node that may have the history does not respond. */
const MAX_INCOMPLETE_IF_UNCERTAIN = 15

export interface CatchUpOptions {
  minContextSlot?: number
  /** Lists from the last finalized transaction, because a fork may have changed what follows. */
  fromFinalized?: boolean
  onListed?: (count: number) => void
  /** Runs while the node lists signatures, before any transaction is fetched. */
  whileListing?: () => Promise<void>
}

/** Reads everything above the cursor. */
export type CatchUp = (options?: CatchUpOptions) => Promise<void>

export function createCatchUp(engine: IndexerEngine): CatchUp {
  const { rpc, programId, commitment, useCopy, db } = engine.options
  let incompleteListings = 0

  return async ({ minContextSlot = 0, fromFinalized = false, onListed, whileListing } = {}) => {
    const { cursor, finalizedSlot, finalizedSignature } = engine.position
    const until = fromFinalized ? finalizedSignature : cursor.signature
    const minSlot = finalizedSlot - FINALITY_OVERLAP_SLOTS
    const [listing] = await settleBoth(
      listSignatures(rpc, { programId, commitment, until, minSlot, minContextSlot }),
      whileListing?.() ?? Promise.resolve(),
    )
    const { count, complete, certain, oldest } = listing
    if (count > 0) onListed?.(count)
    if (count === 0 || complete) incompleteListings = 0
    else if (until === null) assertComplete(listing)
    else {
      incompleteListings += 1
      if (incompleteListings <= (certain ? MAX_INCOMPLETE : MAX_INCOMPLETE_IF_UNCERTAIN))
        throw new LedgerRpcError(
          'transport',
          "the node's history ends above the last transaction that was read",
        )
      await skipGap(engine, oldest)
    }
    await engine.ingest(listing.oldestFirst(), {
      movesCursor: true,
      tablesAreEmpty: useCopy && cursor.signature === null && !(await hasTransactions(db())),
    })
  }
}

/** Stores a dead letter with both ends of the gap, so that `fillHistoryGaps` can read it later. */
async function skipGap(engine: IndexerEngine, oldest: string | undefined): Promise<void> {
  const { slot, signature } = engine.position.cursor
  const reason = "the node's history ends above this transaction: the transactions after it are unknown"
  const data = oldest ?? null
  const gap = deadLetter('missing_history', String(signature), { signature, slot, reason, data })
  // No node lists `finalizedSignature`, so the next finality check must not list down to it.
  await engine.store(
    (db) => writeDeadLetters(db, [gap]),
    (position) => ({ ...position, finalizedSignature: null }),
  )
  engine.needsSweep = true
}

const CHUNK_SIZE = 2_500

/**
 * Reads every account of the program. Transactions alone may not lead to all of them: nodes prune
 * history, and may not serve what they list. False if the node refuses to list accounts.
 */
export async function sweepAccounts(
  engine: IndexerEngine,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<boolean> {
  const { rpc, db, programId, commitment } = engine.options
  const minContextSlot = engine.position.cursor.slot
  engine.needsSweep = false
  try {
    const pdas = await listAccounts(rpc, db(), { programId, commitment, minContextSlot })
    let done = 0
    const refresh = (chunk: string[]) => engine.refreshAccounts(chunk)
    for await (const chunks of pipelined(chunksOf(pdas, CHUNK_SIZE), 2, refresh)) {
      done = Math.min(pdas.length, done + chunks.length * CHUNK_SIZE)
      onProgress(done, pdas.length)
    }
  } catch (error) {
    if (error instanceof LedgerRpcError && (error.kind === 'timeout' || !error.isTransient)) return false
    engine.needsSweep = true
    throw error
  }
  return true
}
