import { LedgerRpcError } from '../rpc.ts'
import type { DeadLetterRow } from './batch.ts'
import type { IndexerPosition } from './state.ts'

/** How often in a row a listing that does not reach the cursor is taken for a lag. */
const DOUBTED = 5

/** Decides what a listing means that ends above what was read before. */
export class HistoryGaps {
  #seen = 0

  none(): void {
    this.#seen = 0
  }

  /** Throws while the node may only lag. If it goes on so, events are lost to this service: the letter that says so. */
  found({ cursor }: IndexerPosition): DeadLetterRow {
    this.#seen += 1
    if (this.#seen <= DOUBTED)
      throw new LedgerRpcError('transport', "the node's history ends above what was read before")
    const { slot, signature } = cursor
    return {
      id: `missing_history/${signature}`,
      kind: 'missing_history',
      signature,
      pda: null,
      slot,
      reason: "the node's history ends above this transaction: what came next is not known",
      data: null,
    }
  }
}
