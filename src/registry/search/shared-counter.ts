import { BitPlanes, BLOCK } from './bit-planes.ts'
import { leastShared } from './trigrams.ts'
import { type SlotSet, WORD_BITS } from './slot-set.ts'

/** Slots that may match, and the number of trigrams that each shares with the query. */
export interface Candidates {
  size: number
  readonly slots: Uint32Array
  readonly shared: Uint8Array
}

/**
 * Counts for each slot how many sets contain it. Bitmaps are counted 32 slots at a time, and only
 * short lists slot by slot. So the time has a limit, however many names share a trigram.
 */
export class SharedCounter {
  /** The result of the last `count`. */
  readonly candidates: Candidates
  readonly #planes = new BitPlanes()
  /** The counts of slots in lists, and a bit for each slot that has one. */
  readonly #inLists: Uint8Array
  readonly #listed: Uint32Array
  readonly #empty: Uint32Array

  constructor(words: number) {
    const capacity = words * WORD_BITS
    this.candidates = { size: 0, slots: new Uint32Array(capacity), shared: new Uint8Array(capacity) }
    this.#inLists = new Uint8Array(capacity)
    this.#listed = new Uint32Array(words)
    this.#empty = new Uint32Array(words)
  }

  /**
   * Finds every slot that can match a query with so many trigrams. `shortest` has the lowest number
   * of trigrams of the names of each word of slots.
   */
  count(sets: readonly SlotSet[], queryTrigrams: number, shortest: Uint8Array): Candidates {
    const bitmaps: Uint32Array[] = []
    for (const { bitmap, list, size } of sets)
      if (bitmap === null) this.#addList(list, size)
      else bitmaps.push(bitmap)
    while (bitmaps.length % 3 !== 0) bitmaps.push(this.#empty)
    this.candidates.size = 0
    for (let start = 0; start < this.#listed.length; start += BLOCK)
      this.#countBlock(bitmaps, start, queryTrigrams, shortest)
    this.#listed.fill(0)
    return this.candidates
  }

  #addList(list: Uint32Array, size: number): void {
    const inLists = this.#inLists
    const listed = this.#listed
    for (let i = 0; i < size; i++) {
      const slot = list[i]!
      if (inLists[slot]!++ === 0) listed[slot >> 5]! |= 1 << (slot & 31)
    }
  }

  #countBlock(
    bitmaps: readonly Uint32Array[],
    start: number,
    queryTrigrams: number,
    shortest: Uint8Array,
  ): void {
    const planes = this.#planes
    const length = Math.min(BLOCK, this.#listed.length - start)
    planes.clear()
    for (let i = 0; i < bitmaps.length; i += 3)
      planes.add(bitmaps[i]!, bitmaps[i + 1]!, bitmaps[i + 2]!, start, length)
    for (let i = 0; i < length; i++) {
      const least = leastShared(queryTrigrams, shortest[start + i]!)
      const unlisted = least > queryTrigrams ? 0 : planes.atLeast(i, least)
      const found = unlisted | this.#listed[start + i]!
      if (found !== 0) this.#collect(found, start + i, i)
    }
  }

  #collect(found: number, word: number, index: number): void {
    const { slots, shared } = this.candidates
    let size = this.candidates.size
    for (let rest = found; rest !== 0; rest &= rest - 1) {
      const bit = 31 - Math.clz32(rest & -rest)
      const slot = word * WORD_BITS + bit
      shared[size] = this.#inLists[slot]! + this.#planes.countOf(index, bit)
      this.#inLists[slot] = 0
      slots[size++] = slot
    }
    this.candidates.size = size
  }
}
