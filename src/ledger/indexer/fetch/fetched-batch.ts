import type { AccountReads } from '../account-reads.ts'
import type { AccountStates, DecodedTransactions, SignatureInfo } from '../../decode/rows.ts'
import { type CopiedRows, joinCopied } from '../write/copy-rows.ts'

/** Transactions read from the node and decoded, ready to be written. */
export interface Prepared {
  /** All that were listed, also those that failed or are known. */
  infos: SignatureInfo[]
  /** Signatures that were read in another place: a fork has moved them. */
  moved: string[]
  decoded: DecodedTransactions
  /** The same, where the tables are not known to hold any of it. */
  copied: CopiedRows | null
  /** What was known to be read when `states` were read. */
  reads: AccountReads
  states: AccountStates[]
}

/** Cuts pages into batches of at most `size`. */
export async function* batchesOf<Item>(
  pages: AsyncIterable<readonly Item[]> | Iterable<readonly Item[]>,
  size: number,
): AsyncGenerator<Item[]> {
  for await (const page of pages) yield* slices(page, size)
}

export function* slices<Item>(items: readonly Item[], size: number): Generator<Item[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

/** Joins neighbours, so that they are written in one database transaction. What a fork moved is written by itself. */
export function mergePrepared(batches: readonly Prepared[]): Prepared[] {
  const groups: Prepared[][] = []
  for (const batch of batches) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (last?.reads !== batch.reads || last.moved.length > 0 || batch.moved.length > 0) groups.push([batch])
    else group?.push(batch)
  }
  return groups.map(join)
}

function join(batches: Prepared[]): Prepared {
  const [first] = batches
  if (first === undefined || batches.length === 1) return first as Prepared
  const decoded = batches.map((batch) => batch.decoded)
  return {
    infos: batches.flatMap((batch) => batch.infos),
    moved: [],
    reads: first.reads,
    copied: joinCopied(batches.map((batch) => batch.copied)),
    decoded: {
      transactions: union(
        decoded.map((each) => each.transactions),
        (row) => row.signature,
      ),
      events: union(
        decoded.map((each) => each.events),
        (row) => row.id,
      ),
      history: union(
        decoded.map((each) => each.history),
        (row) => row.event_id,
      ),
      outbox: union(
        decoded.map((each) => each.outbox),
        (row) => row.id,
      ),
      deadLetters: union(
        decoded.map((each) => each.deadLetters),
        (row) => row.id,
      ),
    },
    states: batches.flatMap((batch) => batch.states),
  }
}

/** A listing may show a transaction twice, and a statement may write a row only once. */
function union<Row>(parts: readonly (readonly Row[])[], keyOf: (row: Row) => string): Row[] {
  const rows = new Map<string, Row>()
  for (const part of parts) for (const row of part) rows.set(keyOf(row), row)
  return [...rows.values()]
}
