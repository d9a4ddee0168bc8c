import { type AgentSlots, startOf } from './agent-slots.ts'
import type { Compare } from '../../registry/select-window.ts'
import type { SortKey } from '../../registry/sort-order.ts'

export type AgentSort = 'similarity' | 'created_at' | 'reputation' | 'name'

export interface AgentOrder {
  readonly compare: Compare
  /** Compares a slot with a key, whose `created_at` is in ISO 8601. */
  readonly compareKey: (slot: number, key: SortKey) => number
}

/** The order of the list. Ties are in ascending order of pda. */
export function agentOrder(
  agents: AgentSlots,
  similarities: Float32Array,
  { sort, descending }: { sort: AgentSort; descending: boolean },
): AgentOrder {
  const direction = descending ? -1 : 1
  const { pdas, names, pdaStarts } = agents
  const comparePdas: Compare = (one, other) =>
    pdaStarts[one]! - pdaStarts[other]! || compareText(pdas[one]!, pdas[other]!)
  const comparePda = (slot: number, pda: string): number =>
    pdaStarts[slot]! - startOf(pda) || compareText(pdas[slot]!, pda)
  if (sort === 'name')
    return {
      compare: (one, other) => direction * compareText(names[one]!, names[other]!) || comparePdas(one, other),
      compareKey: (slot, [name, pda]) =>
        direction * compareText(names[slot]!, String(name)) || comparePda(slot, pda),
    }
  const values = { similarity: similarities, created_at: agents.createdAt, reputation: agents.reputation }[
    sort
  ]
  return {
    compare: (one, other) => direction * (values[one]! - values[other]!) || comparePdas(one, other),
    compareKey: (slot, [value, pda]) =>
      direction * (values[slot]! - toNumber(sort, value)) || comparePda(slot, pda),
  }
}

const MICROSECONDS = 1_000

function toNumber(sort: AgentSort, value: number | string): number {
  if (sort === 'created_at') return Date.parse(String(value)) * MICROSECONDS
  return sort === 'similarity' ? Math.fround(Number(value)) : Number(value)
}

/** In the order of code points, which is the order of UTF-8 bytes. */
function compareText(one: string, other: string): number {
  if (one === other) return 0
  let i = 0
  while (one.charCodeAt(i) === other.charCodeAt(i)) i += 1
  const [first, second] = [one.charCodeAt(i), other.charCodeAt(i)]
  // Surrogates are of characters above all others. NaN is the end of a text.
  if (isSurrogate(first) !== isSurrogate(second) && first >= 0xd800 && second >= 0xd800)
    return isSurrogate(first) ? 1 : -1
  return first < second || Number.isNaN(first) ? -1 : 1
}

const isSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdfff
