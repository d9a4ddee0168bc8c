import type { Compare } from './select-window.ts'

/** Called between parts of long work. */
export type Pause = () => Promise<void> | undefined

interface Block {
  readonly slots: Uint32Array
  size: number
}

const BLOCK = 512
/** Blocks have room for insertions when they are filled or split. */
const FILLED = (BLOCK * 3) / 4

/** Slots in an order, in blocks, so that a change moves few of them. */
export class SortedSlots {
  size = 0
  #blocks: Block[] = []
  readonly #compare: Compare

  constructor(compare: Compare) {
    this.#compare = compare
  }

  /** Replaces all slots by these, which are in order. */
  replace(sorted: Uint32Array): void {
    this.#blocks = []
    for (let i = 0; i < sorted.length; i += FILLED) this.#blocks.push(blockOf(sorted.subarray(i, i + FILLED)))
    this.size = sorted.length
  }

  insert(slot: number): void {
    const [place, at] = this.#find(slot)
    let index = Math.min(place, this.#blocks.length - 1)
    if (index < 0) this.#blocks.push(blockOf(new Uint32Array()))
    index = Math.max(index, 0)
    const block = this.#blocks[index]!
    const offset = index === place ? at : block.size
    this.size += 1
    block.slots.copyWithin(offset + 1, offset, block.size)
    block.slots[offset] = slot
    block.size += 1
    if (block.size < BLOCK) return
    const half = BLOCK / 2
    this.#blocks.splice(index + 1, 0, blockOf(block.slots.subarray(half)))
    block.size = half
  }

  /** The values by which the slot is sorted must be those with which it was inserted. */
  remove(slot: number): void {
    const [index, at] = this.#find(slot)
    const block = this.#blocks[index]
    if (block?.slots[at] !== slot) throw new Error(`slot ${slot} is not where its values are`)
    this.size -= 1
    block.slots.copyWithin(at, at + 1, block.size)
    block.size -= 1
    const next = this.#blocks[index + 1]
    if (block.size === 0) this.#blocks.splice(index, 1)
    else if (next !== undefined && block.size + next.size < BLOCK / 2) {
      block.slots.set(next.slots.subarray(0, next.size), block.size)
      block.size += next.size
      this.#blocks.splice(index + 1, 1)
    }
  }

  /** The number of slots at the start for which this is true. It must not be true after them. */
  count(isBefore: (slot: number) => boolean): number {
    const [index, at] = this.#locate(isBefore)
    let count = at
    for (let i = 0; i < index; i++) count += this.#blocks[i]!.size
    return count
  }

  /**
   * Calls `visit` with the slots from place `from` to `to`, or backward, until it returns false.
   */
  scan(from: number, to: number, backward: boolean, visit: (slot: number) => boolean): void {
    let left = to - from
    if (left <= 0) return
    let index = 0
    let at = backward ? to - 1 : from
    while (at >= this.#blocks[index]!.size) at -= this.#blocks[index++]!.size
    for (;;) {
      const { slots, size } = this.#blocks[index]!
      if (backward) for (; at >= 0 && left > 0 && visit(slots[at]!); at--) left -= 1
      else for (; at < size && left > 0 && visit(slots[at]!); at++) left -= 1
      if (left === 0 || (at >= 0 && at < size)) return
      index += backward ? -1 : 1
      at = backward ? this.#blocks[index]!.size - 1 : 0
    }
  }

  #find(slot: number): [block: number, at: number] {
    return this.#locate((each) => this.#compare(each, slot) < 0)
  }

  /** The first slot that is not before. Behind the last block if all are. */
  #locate(isBefore: (slot: number) => boolean): [block: number, at: number] {
    const blocks = this.#blocks
    const index = firstOf(blocks.length, (i) => !isBefore(blocks[i]!.slots[blocks[i]!.size - 1]!))
    const block = blocks[index]
    return [index, block === undefined ? 0 : firstOf(block.size, (i) => !isBefore(block.slots[i]!))]
  }
}

function blockOf(slots: Uint32Array): Block {
  const block = { slots: new Uint32Array(BLOCK), size: slots.length }
  block.slots.set(slots)
  return block
}

/** The first index for which this is true. */
function firstOf(length: number, isTrue: (index: number) => boolean): number {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isTrue(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Sorts in parts. */
export async function sortInParts(slots: Uint32Array, compare: Compare, pause: Pause): Promise<Uint32Array> {
  let from: Uint32Array = slots
  let to: Uint32Array = new Uint32Array(slots.length)
  for (let i = 0; i < from.length; i += BLOCK) {
    from.subarray(i, i + BLOCK).sort(compare)
    await pause()
  }
  for (let width = BLOCK; width < from.length; width *= 2) {
    for (let start = 0; start < from.length; start += 2 * width)
      await merge(from, to, start, width, compare, pause)
    ;[from, to] = [to, from]
  }
  return from
}

async function merge(
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  width: number,
  compare: Compare,
  pause: Pause,
): Promise<void> {
  const middle = Math.min(start + width, from.length)
  const end = Math.min(start + 2 * width, from.length)
  let left = start
  let right = middle
  for (let i = start; i < end; i++) {
    const takesLeft = left < middle && (right >= end || compare(from[left]!, from[right]!) < 0)
    to[i] = takesLeft ? from[left++]! : from[right++]!
    if (i % BLOCK === 0) await pause()
  }
}

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

  valueOf(slot: number): SortValue {
    return this.#values[slot]!
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
    const slots = new Uint32Array(this.#values.length)
    for (let slot = 0; slot < slots.length; slot++) slots[slot] = slot
    const sorted = await sortInParts(slots, (one, other) => rising(one, other) || one - other, pause)
    const reversed = new Uint32Array(sorted.length)
    let start = 0
    for (let i = 1; i <= sorted.length; i++) {
      if (i % PART === 0) await pause()
      if (i < sorted.length && rising(sorted[start]!, sorted[i]!) === 0) continue
      reversed.set(sorted.subarray(start, i), sorted.length - i)
      start = i
    }
    this.#ascending.replace(sorted)
    this.#descending.replace(reversed)
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

export function compareTexts(one: string, other: string): number {
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
