import { settleBoth } from '../../platform/async/settle-both.ts'
import type { DeadLetterRow } from '../decode/rows.ts'
import { LedgerRpcError } from '../rpc/rpc-error.ts'
import type { IndexerEngine } from './engine.ts'
import { hasTransactions } from './fetch/known-transactions.ts'
import { assertComplete, listSignatures, type SignatureListing } from './fetch/signature-listing.ts'
import { FINALITY_OVERLAP_SLOTS } from './position.ts'
import { writeDeadLetters } from './write/write-events.ts'

/** Incomplete listings in a row that count as a lag of the node. Later ones are a gap. */
const MAX_INCOMPLETE = 5
/** The same, about a minute, while a node that may have the history does not respond. */
const MAX_INCOMPLETE_IF_UNCERTAIN = 15
/** Callers get the signatures of a shorter listing only. */
const MAX_RETURNED = 10_000

export interface CatchUpOptions {
  minContextSlot?: number
  /** Lists from the last finalized transaction, because a fork may have changed what follows. */
  fromFinalized?: boolean
  onListed?: (count: number) => void
  /** Runs while the node lists signatures, before any transaction is fetched. */
  whileListing?: () => Promise<void>
}

/** Reads everything above the cursor. */
export class CatchUp {
  readonly #engine: IndexerEngine
  #incompleteListings = 0

  constructor(engine: IndexerEngine) {
    this.#engine = engine
  }

  /** Returns the signatures that were read. */
  async run(options: CatchUpOptions = {}): Promise<Set<string>> {
    const engine = this.#engine
    const { rpc, programId, commitment, useCopy, db } = engine.options
    const { cursor, finalizedSlot, finalizedSignature } = engine.position
    const until = options.fromFinalized === true ? finalizedSignature : cursor.signature
    const { minContextSlot = 0 } = options
    const minSlot = finalizedSlot - FINALITY_OVERLAP_SLOTS
    const [listing] = await settleBoth(
      listSignatures(rpc, { programId, commitment, until, minSlot, minContextSlot }),
      options.whileListing?.() ?? Promise.resolve(),
    )
    if (listing.count > 0) options.onListed?.(listing.count)
    if (listing.count === 0 || listing.complete) this.#incompleteListings = 0
    else if (until === null) assertComplete(listing)
    else await this.#handleIncompleteListing(listing)
    const read = new Set<string>()
    await engine.ingest(listing.oldestFirst(), {
      movesCursor: true,
      tablesAreEmpty: useCopy && cursor.signature === null && !(await hasTransactions(db())),
      onIngested: (infos) => {
        if (listing.count < MAX_RETURNED) for (const { signature } of infos) read.add(signature)
      },
    })
    return read
  }

  /**
   * Throws while the nodes may only lag. After that it skips the gap and stores a dead letter with
   * both ends of it, so that `fillHistoryGaps` can read it later.
   */
  async #handleIncompleteListing({ certain, oldest }: SignatureListing): Promise<void> {
    const engine = this.#engine
    this.#incompleteListings += 1
    if (this.#incompleteListings <= (certain ? MAX_INCOMPLETE : MAX_INCOMPLETE_IF_UNCERTAIN))
      throw new LedgerRpcError(
        'transport',
        "the node's history ends above the last transaction that was read",
      )
    const { slot, signature } = engine.position.cursor
    const deadLetter: DeadLetterRow = {
      id: `missing_history/${signature}`,
      kind: 'missing_history',
      signature,
      pda: null,
      slot,
      reason: "the node's history ends above this transaction: the transactions after it are unknown",
      data: oldest ?? null,
    }
    // No node lists `finalizedSignature`, so the next finality check must not list down to it.
    await engine.store(
      (db) => writeDeadLetters(db, [deadLetter]),
      (position) => ({ ...position, finalizedSignature: null }),
    )
    engine.needsSweep = true
  }
}
