import { BitPlanes, BLOCK, type Candidates } from './bit-planes.ts'
import { type SlotSet, WORD_BITS } from './slot-set.ts'
import { leastShared } from './trigrams.ts'

/**
 * Counts for each slot how many sets contain it. Bitmaps are counted 32 slots at a time, and only
 * short lists slot by slot. So the time has a limit, however many names share a trigram.
 */
export class SharedCounter {
  /** Of a block, so that they stay in the processor's cache. */
  readonly #candidates: Candidates = {
    size: 0,
    slots: new Uint32Array(BLOCK * WORD_BITS),
    shared: new Uint8Array(BLOCK * WORD_BITS),
  }
  readonly #planes = new BitPlanes()
  /** The counts of slots in lists, and a bit for each slot that has one. */
  readonly #inLists: Uint8Array
  readonly #listed: Uint32Array
  readonly #empty: Uint32Array

  constructor(words: number) {
    this.#inLists = new Uint8Array(words * WORD_BITS)
    this.#listed = new Uint32Array(words)
    this.#empty = new Uint32Array(words)
  }

  /**
   * Visits every slot that can match a query with so many trigrams, in parts. `shortest` has the
   * lowest number of trigrams of the names of each word of slots.
   */
  count(
    sets: readonly SlotSet[],
    queryTrigrams: number,
    shortest: Uint8Array,
    visit: (candidates: Candidates) => void,
  ): void {
    const bitmaps: Uint32Array[] = []
    for (const { bitmap, list, size } of sets)
      if (bitmap === null) this.#addList(list, size)
      else bitmaps.push(bitmap)
    while (bitmaps.length % 3 !== 0) bitmaps.push(this.#empty)
    for (let start = 0; start < this.#listed.length; start += BLOCK) {
      this.#candidates.size = 0
      this.#countBlock(bitmaps, start, queryTrigrams, shortest)
      if (this.#candidates.size > 0) visit(this.#candidates)
    }
    this.#listed.fill(0)
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
      const listed = this.#listed[start + i]!
      const found = listed | (least > queryTrigrams ? 0 : planes.atLeast(i, least))
      if (found === 0) continue
      const before = this.#candidates.size
      planes.collect(i, found, (start + i) * WORD_BITS, this.#candidates)
      if (listed !== 0) this.#addListed(before)
    }
  }

  /** Adds the counts in lists of the candidates from this one. */
  #addListed(first: number): void {
    const { slots, shared, size } = this.#candidates
    for (let i = first; i < size; i++) {
      shared[i]! += this.#inLists[slots[i]!]!
      this.#inLists[slots[i]!] = 0
    }
  }
}
