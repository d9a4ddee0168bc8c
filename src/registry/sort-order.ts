import type { Compare } from './select-window.ts'
import { type Pause, SortedSlots, sortInParts } from './sorted-slots.ts'

export type SortValue = number | string

/** The value by which a list is sorted, and the pda. */
export type SortKey = readonly [value: SortValue, pda: string]

const PART = 1_000

/** One order of a list, in both directions. Ties are in ascending order of pda in both. */
export class SortOrder {
  /** By slot. */
  readonly #values: SortValue[] = []
  readonly #pdaOf: (slot: number) => string
  readonly #rising: Compare
  readonly #ascending: SortedSlots
  readonly #descending: SortedSlots
  #isBuilt = false

  constructor(type: 'number' | 'text', pdaOf: (slot: number) => string) {
    this.#pdaOf = pdaOf
    this.#rising = type === 'number' ? byNumber(this.#values as number[]) : byText(this.#values as string[])
    this.#ascending = new SortedSlots(this.compare(false))
    this.#descending = new SortedSlots(this.compare(true))
  }

  in(descending: boolean): SortedSlots {
    return descending ? this.#descending : this.#ascending
  }

  compare(descending: boolean): Compare {
    const rising = this.#rising
    const pdaOf = this.#pdaOf
    const ties: Compare = (one, other) => compareTexts(pdaOf(one), pdaOf(other))
    return descending
      ? (one, other) => rising(other, one) || ties(one, other)
      : (one, other) => rising(one, other) || ties(one, other)
  }

  /** Compares a slot with a key. */
  compareKey(slot: number, [value, pda]: SortKey, descending: boolean): number {
    const own = this.#values[slot]!
    const rising = own < value ? -1 : own > value ? 1 : 0
    return (descending ? -rising : rising) || compareTexts(this.#pdaOf(slot), pda)
  }

  add(slot: number, value: SortValue): void {
    this.#values[slot] = value
    if (!this.#isBuilt) return
    this.#ascending.insert(slot)
    this.#descending.insert(slot)
  }

  change(slot: number, value: SortValue): void {
    if (this.#values[slot] === value) return
    this.remove(slot)
    this.add(slot, value)
  }

  remove(slot: number): void {
    this.#ascending.remove(slot)
    this.#descending.remove(slot)
  }

  /** Sorts the slots that were added. They must be numbered in the order of pda. */
  async build(pause: Pause): Promise<void> {
    const rising = this.#rising
    const slots = Uint32Array.from(this.#values.keys())
    const sorted = await sortInParts(slots, (one, other) => rising(one, other) || one - other, pause)
    const reversed = new Uint32Array(sorted.length)
    let start = 0
    for (let i = 1; i <= sorted.length; i++) {
      if (i % PART === 0) await pause()
      if (i < sorted.length && rising(sorted[start]!, sorted[i]!) === 0) continue
      reversed.set(sorted.subarray(start, i), sorted.length - i)
      start = i
    }
    this.#ascending.fill(sorted)
    this.#descending.fill(reversed)
    this.#isBuilt = true
  }
}

const byNumber =
  (values: readonly number[]): Compare =>
  (one, other) =>
    values[one]! - values[other]! || 0

const byText =
  (values: readonly string[]): Compare =>
  (one, other) =>
    compareTexts(values[one]!, values[other]!)

function compareTexts(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}

const ABOVE_SURROGATES = /[\ud800-\uffff]/

/** A text whose order in JavaScript is the order of the given text's UTF-8 bytes. */
export function byteOrder(text: string): string {
  if (!ABOVE_SURROGATES.test(text)) return text
  let moved = ''
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Surrogates are of characters above all others.
    const isSurrogate = code >= 0xd800 && code <= 0xdfff
    moved += String.fromCharCode(isSurrogate ? code + 0x2000 : code >= 0xe000 ? code - 0x800 : code)
  }
  return moved
}
