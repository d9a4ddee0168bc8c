import { setTimeout as delay } from 'node:timers/promises'
import { knownError } from '../../domain/known-error.ts'
import { chunksOf } from '../../platform/async/promises.ts'
import { pipelined } from '../../platform/async/pipeline.ts'
import { type Findings, type FindingsByKey, noFindings } from './findings.ts'
import type { AuditContext } from './options.ts'

const RECHECK_MS = 250
const MAX_ATTEMPTS = 3
const RETRY_MS = 500

export interface Comparison<Item> {
  batches: AsyncIterable<Item[]> | Iterable<Item[]>
  /** The key of the item's findings. */
  keyOf: (item: Item) => string
  compare: (items: Item[]) => Promise<FindingsByKey>
  onProgress: (done: number) => void
}

export interface ComparisonResult extends Findings {
  items: number
}

/**
 * Compares batches, several at a time. Compares items that differ again until they agree or
 * `settleMs` has passed. Only those are kept in memory.
 */
export async function compareBatches<Item>(
  { inFlight, batchSize, settleMs, signal }: AuditContext,
  { batches, keyOf, compare, onProgress }: Comparison<Item>,
): Promise<ComparisonResult> {
  const result: ComparisonResult = { ...noFindings(), items: 0 }
  const add = ({ differences, unreadable, events }: Findings): void => {
    result.differences.push(...differences)
    result.unreadable.push(...unreadable)
    result.events += events
  }
  /** Adds the findings of items without differences. Returns the others. */
  async function compareAll(
    inputs: AsyncIterable<Item[]> | Iterable<Item[]>,
    onBatch: (items: Item[]) => void,
  ): Promise<[Item, Findings][]> {
    const differing: [Item, Findings][] = []
    const work = async (items: Item[]) => ({ items, byKey: await attempt(() => compare(items), signal) })
    for await (const ready of pipelined(inputs, inFlight, work))
      for (const { items, byKey } of ready) {
        for (const item of items) {
          const findings = byKey.of(keyOf(item))
          if (findings.differences.length > 0) differing.push([item, findings])
          else add(findings)
        }
        onBatch(items)
      }
    return differing
  }

  let differing = await compareAll(batches, (items) => onProgress((result.items += items.length)))
  const deadline = performance.now() + settleMs
  while (differing.length > 0 && performance.now() < deadline) {
    await delay(RECHECK_MS, undefined, { signal })
    const items = differing.map(([item]) => item)
    differing = await compareAll(chunksOf(items, batchSize), () => {})
  }
  for (const [, findings] of differing) add(findings)
  return result
}

/** Retries after an outage of the database, or after a read that took too long. */
async function attempt<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await read()
    } catch (error) {
      if (attempts === MAX_ATTEMPTS || knownError(error)?.code !== 'DATABASE_UNAVAILABLE') throw error
      await delay(RETRY_MS, undefined, { signal })
    }
  }
}
