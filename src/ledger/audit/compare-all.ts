import { setTimeout as delay } from 'node:timers/promises'
import { pipelined } from '../../platform/async/pipeline.ts'
import type { Difference, Findings, Unreadable } from './findings.ts'
import type { AuditContext } from './options.ts'

const RECHECK_MS = 250

export interface Comparison<Item> {
  batches: AsyncIterable<Item[]> | Iterable<Item[]>
  /** What its findings go by. */
  keyOf: (item: Item) => string
  compare: (items: Item[]) => Promise<Findings>
  onProgress: (done: number) => void
}

export interface Compared {
  items: number
  events: number
  differences: Difference[]
  unreadable: Unreadable[]
}

/**
 * Compares batch after batch, several at a time. What differs is compared again until it agrees or `settleMs` is over; only
 * that is kept, so that memory does not grow with what is compared.
 */
export async function compareAll<Item>(
  context: AuditContext,
  { batches, keyOf, compare, onProgress }: Comparison<Item>,
): Promise<Compared> {
  const compared: Compared = { items: 0, events: 0, differences: [], unreadable: [] }
  let open: Open<Item> = new Map()
  const work = async (items: Item[]) => ({ items, findings: await compare(items) })
  for await (const ready of pipelined(batches, context.inFlight, work))
    for (const { items, findings } of ready) {
      compared.items += items.length
      for (const each of openOf(items, findings, keyOf)) open.set(...each)
      close(compared, findings, open)
      onProgress(compared.items)
    }
  const deadline = performance.now() + (context.settleMs ?? 3_000)
  while (open.size > 0 && performance.now() < deadline) {
    await delay(RECHECK_MS, undefined, { signal: context.signal })
    const still: Open<Item> = new Map()
    const items = [...open.values()].map((each) => each.item)
    const chunks = Array.from({ length: Math.ceil(items.length / context.batchSize) }, (_, i) =>
      items.slice(i * context.batchSize, (i + 1) * context.batchSize),
    )
    for await (const ready of pipelined(chunks, context.inFlight, work))
      for (const { items: again, findings } of ready) {
        for (const each of openOf(again, findings, keyOf)) still.set(...each)
        close(compared, findings, still)
      }
    open = still
  }
  for (const { differences, events, unreadable } of open.values()) {
    compared.differences.push(...differences)
    compared.unreadable.push(...unreadable)
    compared.events += events
  }
  return compared
}

/** What differs as of the last look. */
type Open<Item> = Map<
  string,
  { item: Item; differences: Difference[]; events: number; unreadable: Unreadable[] }
>

function openOf<Item>(
  items: readonly Item[],
  { differing, events, unreadable }: Findings,
  keyOf: (item: Item) => string,
): Open<Item> {
  const keys = new Set(items.map(keyOf))
  for (const key of differing.keys())
    if (!keys.has(key)) throw new Error(`a difference of ${key}, which was not compared`)
  return new Map(
    items.flatMap((item) => {
      const key = keyOf(item)
      const differences = differing.get(key)
      if (differences === undefined) return []
      const letters = [...unreadable.values()].filter((each) => (each.pda ?? each.signature) === key)
      return [[key, { item, differences, events: events.get(key) ?? 0, unreadable: letters }] as const]
    }),
  )
}

/** Counts what agrees. */
function close(compared: Compared, findings: Findings, open: ReadonlyMap<string, unknown>): void {
  for (const [key, count] of findings.events) if (!open.has(key)) compared.events += count
  for (const letter of findings.unreadable.values())
    if (!open.has(letter.pda ?? letter.signature ?? '')) compared.unreadable.push(letter)
}
