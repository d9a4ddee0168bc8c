import { byteOf, type Bytes, bytesOf, compareBytes, noBytes, type PackedRows } from './packed-rows.ts'
import type { Compare } from './select-window.ts'

/** Slots in an order, in blocks, so that a change moves few of them. Arrays of fixed size. */
interface BlocksData {
  /** The slots of all blocks, each with room for BLOCK. */
  readonly slots: Uint32Array
  /** The number of slots in each block. */
  readonly sizes: Uint16Array
  /** The blocks in order. */
  readonly blocks: number[]
  readonly freeBlocks: number[]
  /** By slot. */
  readonly blockOf: Uint32Array
}

export const BLOCK = 512
/** Blocks have room for insertions when they are filled or split. */
const FILLED = (BLOCK * 3) / 4
/** Neighbours with fewer slots are joined. */
const JOINED = BLOCK / 2

/** A place between slots: the index of a block in the order, and one in the block. */
type Place = readonly [index: number, at: number]

export class SortedSlots {
  size = 0
  readonly #data: BlocksData
  readonly #compare: Compare
  /** By block, during `select`. */
  readonly #counts: Uint32Array

  constructor(data: BlocksData, compare: Compare) {
    this.#data = data
    this.#compare = compare
    this.#counts = new Uint32Array(data.sizes.length)
    for (const block of data.blocks) this.size += data.sizes[block]!
  }

  insert(slot: number): void {
    const { blocks, sizes, slots, blockOf } = this.#data
    if (blocks.length === 0) blocks.push(this.#newBlock())
    let [index, at] = this.#find(slot)
    if (index === blocks.length) at = sizes[blocks[--index]!]!
    const block = blocks[index]!
    const start = block * BLOCK
    slots.copyWithin(start + at + 1, start + at, start + sizes[block]!)
    slots[start + at] = slot
    blockOf[slot] = block
    sizes[block]! += 1
    this.size += 1
    if (sizes[block]! < BLOCK) return
    const added = this.#newBlock()
    blocks.splice(index + 1, 0, added)
    this.#move(block, BLOCK / 2, added)
    sizes[block] = BLOCK / 2
  }

  /** The values by which the slot is sorted must be those with which it was inserted. */
  remove(slot: number): void {
    const { blocks, sizes, slots, freeBlocks } = this.#data
    const [index, at] = this.#find(slot)
    const block = blocks[index]!
    const start = block * BLOCK
    if (block === undefined || slots[start + at] !== slot)
      throw new Error(`slot ${slot} is not where its values are`)
    slots.copyWithin(start + at, start + at + 1, start + sizes[block]!)
    sizes[block]! -= 1
    this.size -= 1
    const next = blocks[index + 1]
    if (sizes[block] === 0) freeBlocks.push(...blocks.splice(index, 1))
    else if (next !== undefined && sizes[block]! + sizes[next]! < JOINED) {
      this.#move(next, 0, block)
      sizes[next] = 0
      freeBlocks.push(...blocks.splice(index + 1, 1))
    }
  }

  /** The number of slots at the start for which this is true. It must not be true after them. */
  count(isBefore: (slot: number) => boolean): number {
    const { blocks, sizes } = this.#data
    const [index, at] = this.#locate(isBefore)
    let count = at
    for (let i = 0; i < index; i++) count += sizes[blocks[i]!]!
    return count
  }

  /**
   * Calls `visit` with the slots from place `from` to `to`, or backward, until it returns false.
   */
  scan(from: number, to: number, backward: boolean, visit: (slot: number) => boolean): void {
    const { blocks, sizes, slots } = this.#data
    let left = to - from
    if (left <= 0) return
    let index = 0
    let at = backward ? to - 1 : from
    while (at >= sizes[blocks[index]!]!) at -= sizes[blocks[index++]!]!
    for (;;) {
      const start = blocks[index]! * BLOCK
      const size = sizes[blocks[index]!]!
      if (backward) for (; at >= 0 && left > 0 && visit(slots[start + at]!); at--) left -= 1
      else for (; at < size && left > 0 && visit(slots[start + at]!); at++) left -= 1
      if (left === 0 || (at >= 0 && at < size)) return
      index += backward ? -1 : 1
      at = backward ? sizes[blocks[index]!]! - 1 : 0
    }
  }

  /**
   * Those of the lists of slots that match and are at places from `from` to `to`, in order or
   * backward, without the first `offset`. Counts them by block, so that nothing is sorted.
   */
  select(
    lists: readonly (readonly number[])[],
    matches: (slot: number) => boolean,
    { from, to, backward, offset, limit }: Selection,
  ): number[] {
    const { blocks, sizes, blockOf } = this.#data
    const counts = this.#counts.fill(0)
    for (const slots of lists) for (const slot of slots) if (matches(slot)) counts[blockOf[slot]!]! += 1
    const page: number[] = []
    let skipped = 0
    let place = backward ? this.size : 0
    for (let i = 0; i < blocks.length && page.length < limit; i++) {
      const block = blocks[backward ? blocks.length - 1 - i : i]!
      const size = sizes[block]!
      const start = backward ? place - size : place
      place += backward ? -size : size
      const isInside = start >= from && start + size <= to
      if (counts[block] === 0 || start + size <= from || start >= to) continue
      if (isInside && skipped + counts[block]! <= offset) skipped += counts[block]!
      else
        this.#scanBlock(block, Math.max(from - start, 0), Math.min(to - start, size), backward, (slot) => {
          if (matches(slot) && (skipped += 1) > offset) page.push(slot)
          return page.length < limit
        })
    }
    return page
  }

  #scanBlock(
    block: number,
    from: number,
    to: number,
    backward: boolean,
    visit: (slot: number) => boolean,
  ): void {
    const { slots } = this.#data
    const start = block * BLOCK
    if (backward) for (let at = to - 1; at >= from && visit(slots[start + at]!);) at -= 1
    else for (let at = from; at < to && visit(slots[start + at]!);) at += 1
  }

  /** Moves the slots of a block from a place on to the end of another one. */
  #move(from: number, at: number, to: number): void {
    const { slots, sizes, blockOf } = this.#data
    const moved = slots.subarray(from * BLOCK + at, from * BLOCK + sizes[from]!)
    slots.set(moved, to * BLOCK + sizes[to]!)
    for (const slot of moved) blockOf[slot] = to
    sizes[to]! += moved.length
  }

  #newBlock(): number {
    const { blocks, sizes, freeBlocks } = this.#data
    const block = freeBlocks.pop() ?? blocks.length
    if (block >= sizes.length) throw new Error('the orders in memory need more room')
    return block
  }

  #find(slot: number): Place {
    return this.#locate((each) => this.#compare(each, slot) < 0)
  }

  /** The first slot that is not before. Behind the last block if all are. */
  #locate(isBefore: (slot: number) => boolean): Place {
    const { blocks, sizes, slots } = this.#data
    const index = firstOf(
      blocks.length,
      (i) => !isBefore(slots[blocks[i]! * BLOCK + sizes[blocks[i]!]! - 1] ?? 0),
    )
    const block = blocks[index]
    return [
      index,
      block === undefined ? 0 : firstOf(sizes[block]!, (i) => !isBefore(slots[block * BLOCK + i]!)),
    ]
  }
}

interface Selection {
  readonly from: number
  readonly to: number
  readonly backward: boolean
  readonly offset: number
  readonly limit: number
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

function blocksOf(sorted: Uint32Array, capacity: number): BlocksData {
  // Two neighbours have at least JOINED slots.
  const blocks = Math.ceil(capacity / (JOINED / 2)) + 2
  const data = {
    slots: new Uint32Array(blocks * BLOCK),
    sizes: new Uint16Array(blocks),
    blocks: [] as number[],
    freeBlocks: [],
    blockOf: new Uint32Array(capacity),
  }
  for (let i = 0; i < sorted.length; i += FILLED) {
    const block = data.blocks.length
    const part = sorted.subarray(i, i + FILLED)
    data.blocks.push(block)
    data.slots.set(part, block * BLOCK)
    data.sizes[block] = part.length
    for (const slot of part) data.blockOf[slot] = block
  }
  return data
}

export type SortValue = number | string

/** The value by which a list is sorted, and the pda. */
export type SortKey = readonly [value: SortValue, pda: string]

/** What an order compares. Texts are compared by their bytes in UTF-8. */
export interface OrderOf {
  readonly by: 'number' | 'text' | 'lower case' | 'digits'
  /** A value of the row, and another one for rows where it is null. */
  readonly field: number
  readonly otherwise?: number
}

export interface OrderData extends OrderOf {
  /** By slot. Empty for texts. */
  readonly values: Float64Array
  readonly ascending: BlocksData
  readonly descending: BlocksData
}

/** The value of the row by which ties are sorted. */
export const PDA = 0

/** One order of a list, in both directions. Ties are in ascending order of pda in both. */
export class SortOrder {
  readonly data: OrderData
  readonly #rows: PackedRows
  readonly #ascending: SortedSlots
  readonly #descending: SortedSlots

  constructor(rows: PackedRows, data: OrderData) {
    this.#rows = rows
    this.data = data
    const compare = comparingSlots(rows, data, data.values)
    const ties: Compare = (one, other) => rows.compare(one, other, PDA)
    this.#ascending = new SortedSlots(data.ascending, (one, other) => compare(one, other) || ties(one, other))
    this.#descending = new SortedSlots(
      data.descending,
      (one, other) => compare(other, one) || ties(one, other),
    )
  }

  in(descending: boolean): SortedSlots {
    return descending ? this.#descending : this.#ascending
  }

  /** Compares slots with a key. */
  comparing([value, pda]: SortKey, descending: boolean): (slot: number) => number {
    const { by, values } = this.data
    const own = noBytes()
    const pdaBytes = bytesOf(pda)
    const key = bytesOf(by === 'digits' ? ` ${value}` : String(value))
    // Packed rows have this number before a text.
    if (by === 'digits') key.bytes[0] = key.to
    const rising =
      by === 'number'
        ? (slot: number) => values[slot]! - Number(value)
        : (slot: number) =>
            compareBytes(findValue(this.#rows, this.data, slot, own), key, by === 'lower case')
    return (slot) =>
      (descending ? -rising(slot) : rising(slot)) || compareBytes(this.#rows.find(slot, PDA), pdaBytes)
  }

  /** Its row must be there. */
  add(slot: number): void {
    if (this.data.by === 'number') this.data.values[slot] = this.#rows.number(slot, this.data.field)
    this.#ascending.insert(slot)
    this.#descending.insert(slot)
  }

  /** Its row must still be there. */
  remove(slot: number): void {
    this.#ascending.remove(slot)
    this.#descending.remove(slot)
  }
}

/** Compares slots by the values of their rows. `values` has the numbers by slot. */
function comparingSlots(rows: PackedRows, of: OrderOf, values: Float64Array): Compare {
  if (of.by === 'number') return (one, other) => values[one]! - values[other]!
  const [own, others] = [noBytes(), noBytes()]
  const folds = of.by === 'lower case'
  return (one, other) =>
    compareBytes(findValue(rows, of, one, own), findValue(rows, of, other, others), folds)
}

function findValue(rows: PackedRows, { by, field, otherwise }: OrderOf, slot: number, into: Bytes): Bytes {
  rows.find(slot, field, into)
  if (into.to < into.from && otherwise !== undefined) rows.find(slot, otherwise, into)
  // With the length before it, which must be compared first. Numbers in decimal are short.
  if (by === 'digits') into.from -= 1
  return into
}

/** The bytes of all rows by which they are sorted, one after the other. */
interface SortBytes {
  readonly bytes: Uint8Array
  /** By slot, and the end. */
  readonly starts: Uint32Array
}

/** Sorts all rows. They must be numbered in the order of pda, which is that of ties. */
export function sortRows(rows: PackedRows, of: OrderOf, count: number): OrderData {
  const { capacity } = rows
  const values = new Float64Array(of.by === 'number' ? capacity : 0)
  for (let slot = 0; slot < count && of.by === 'number'; slot++) values[slot] = rows.number(slot, of.field)
  const compare: Compare =
    of.by === 'number'
      ? (one, other) => values[one]! - values[other]!
      : comparingBytes(bytesOfValues(rows, of, count))
  const ascending = slotsBelow(count).sort(compare)
  const descending = new Uint32Array(count)
  let start = 0
  for (let i = 1; i <= count; i++) {
    if (i < count && compare(ascending[start]!, ascending[i]!) === 0) continue
    descending.set(ascending.subarray(start, i), count - i)
    start = i
  }
  return {
    ...of,
    values,
    ascending: blocksOf(ascending, capacity),
    descending: blocksOf(descending, capacity),
  }
}

/** Numbers rows in the order of pda. */
export function numberRows(rows: PackedRows, count: number): void {
  const offsets = rows.data.offsets.slice(0, count)
  const sorted = slotsBelow(count).sort(
    comparingBytes(bytesOfValues(rows, { by: 'text', field: PDA }, count)),
  )
  for (let slot = 0; slot < count; slot++) rows.data.offsets[slot] = offsets[sorted[slot]!]!
}

const slotsBelow = (count: number): Uint32Array => new Uint32Array(count).map((_, slot) => slot)

/** Copied, because rows are all over the memory. */
function bytesOfValues(rows: PackedRows, of: OrderOf, count: number): SortBytes {
  const value = noBytes()
  const starts = new Uint32Array(count + 1)
  let bytes = new Uint8Array(count * 32)
  let at = 0
  for (let slot = 0; slot < count; slot++) {
    findValue(rows, of, slot, value)
    const end = at + value.to - value.from
    if (end > bytes.length) {
      const larger = new Uint8Array(end * 2)
      larger.set(bytes)
      bytes = larger
    }
    for (let from = value.from; at < end;) bytes[at++] = byteOf(value.bytes[from++]!, of.by === 'lower case')
    starts[slot + 1] = at
  }
  return { bytes, starts }
}

function comparingBytes({ bytes, starts }: SortBytes): Compare {
  return (one, other) => {
    const [from, otherFrom] = [starts[one]!, starts[other]!]
    const [length, otherLength] = [starts[one + 1]! - from, starts[other + 1]! - otherFrom]
    for (let i = 0; i < length && i < otherLength; i++) {
      const difference = bytes[from + i]! - bytes[otherFrom + i]!
      if (difference !== 0) return difference
    }
    return length - otherLength
  }
}
