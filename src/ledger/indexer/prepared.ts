import type { AccountReads } from './account-reads.ts'
import type { AccountStates, DecodedTransactions, SignatureInfo } from './batch.ts'

/** Transactions read from the node and decoded, ready to be written. */
export interface Prepared {
  /** All that were listed, also those that failed or are known. */
  infos: SignatureInfo[]
  /** Signatures that were read in another slot: a fork has moved them. */
  moved: string[]
  decoded: DecodedTransactions
  /** What was known to be read when `states` were read. */
  reads: AccountReads
  states: AccountStates[]
}

/** Cuts pages into batches of at most `size`. */
export async function* batchesOf<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  size: number,
): AsyncGenerator<Item[]> {
  for await (const page of pages)
    for (let at = 0; at < page.length; at += size) yield page.slice(at, at + size)
}

/** Joins neighbours, so that they are written in one database transaction. What a fork moved is written by itself. */
export function mergePrepared(batches: readonly Prepared[]): Prepared[] {
  const merged: Prepared[] = []
  for (const batch of batches) {
    const last = merged.at(-1)
    if (last?.reads !== batch.reads || last.moved.length > 0 || batch.moved.length > 0) merged.push(batch)
    else merged[merged.length - 1] = join(last, batch)
  }
  return merged
}

function join(a: Prepared, b: Prepared): Prepared {
  return {
    infos: [...a.infos, ...b.infos],
    moved: [],
    reads: b.reads,
    decoded: {
      transactions: union(a.decoded.transactions, b.decoded.transactions, (row) => row.signature),
      events: union(a.decoded.events, b.decoded.events, (row) => row.id),
      history: union(a.decoded.history, b.decoded.history, (row) => row.event_id),
      outbox: union(a.decoded.outbox, b.decoded.outbox, (row) => row.id),
      deadLetters: union(a.decoded.deadLetters, b.decoded.deadLetters, (row) => row.id),
    },
    states: [...a.states, ...b.states],
  }
}

/** A listing may show a transaction twice, and a statement may write a row only once. */
function union<Row>(a: readonly Row[], b: readonly Row[], keyOf: (row: Row) => string): Row[] {
  return [...new Map([...a, ...b].map((row) => [keyOf(row), row])).values()]
}
