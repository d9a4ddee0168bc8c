import { BitPlanes, BLOCK, type Candidates, MAX_COUNT } from './bit-planes.ts'
import { bitCount, type SlotSet, WORD_BITS } from './slot-set.ts'

export interface Visitor {
  /** Gets a word with many candidates. True if it counted them: then they are not visited. */
  countWord(word: number, candidates: number): boolean
  /** Gets all other candidates, in parts. */
  visit(candidates: Candidates): void
}

/** With fewer candidates, it is faster to visit them. */
const MANY = 16

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
  /** The first word of the block that the planes count. */
  #start = 0
  #lists = 0
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
   * Finds the candidates of the first `words`: slots in a list, and those in enough bitmaps.
   * `leastOf[word]` is the least number of trigrams of a name in a word of slots, and
   * `needed[least]` how many must be shared.
   */
  count(
    sets: readonly SlotSet[],
    words: number,
    needed: Uint8Array,
    leastOf: Uint8Array,
    visitor: Visitor,
  ): void {
    const lists = sets.filter(({ bitmap }) => bitmap === null)
    const bitmaps = sets.flatMap(({ bitmap }) => bitmap ?? [])
    while (bitmaps.length % 3 !== 0) bitmaps.push(this.#empty)
    this.#lists = lists.length
    for (const { list, size } of lists) this.#addList(list, size)
    for (let start = 0; start < words; start += BLOCK) {
      this.#candidates.size = 0
      this.#countBlock(bitmaps, start, Math.min(BLOCK, words - start), needed, leastOf, visitor)
      if (this.#candidates.size > 0) visitor.visit(this.#candidates)
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
    length: number,
    needed: Uint8Array,
    leastOf: Uint8Array,
    visitor: Visitor,
  ): void {
    const planes = this.#planes
    this.#start = start
    planes.clear()
    for (let i = 0; i < bitmaps.length; i += 3)
      planes.add(bitmaps[i]!, bitmaps[i + 1]!, bitmaps[i + 2]!, start, length)
    for (let i = 0; i < length; i++) {
      const word = start + i
      const listed = this.#listed[word]!
      const least = needed[leastOf[word]!]!
      const found = least > bitmaps.length ? listed : listed | planes.atLeast(i, least)
      if (found === 0) continue
      if (bitCount(found) >= MANY && visitor.countWord(word, found)) {
        if (listed !== 0) this.#inLists.fill(0, word * WORD_BITS, (word + 1) * WORD_BITS)
        continue
      }
      const before = this.#candidates.size
      planes.collect(i, found, word * WORD_BITS, this.#candidates)
      if (listed !== 0) this.#addListed(before)
    }
  }

  /** Adds the counts in lists of the candidates from this one, and clears them. */
  #addListed(first: number): void {
    const { slots, shared, size } = this.#candidates
    for (let i = first; i < size; i++) {
      shared[i]! += this.#inLists[slots[i]!]!
      this.#inLists[slots[i]!] = 0
    }
  }

  // While `countWord` runs, these answer for its word.

  /** The slots that are in at least so many bitmaps. */
  inBitmaps(word: number, least: number): number {
    return least > MAX_COUNT ? 0 : this.#planes.atLeast(word - this.#start, least)
  }

  countOf(slot: number): number {
    return this.#planes.countOf((slot >> 5) - this.#start, slot & 31) + this.#inLists[slot]!
  }

  /** No count of these slots is higher. */
  highest(word: number, bits: number): number {
    const inLists = (bits & this.#listed[word]!) === 0 ? 0 : this.#lists
    return this.#planes.extreme(word - this.#start, bits, true) + inLists
  }

  /** No count of these slots is lower. */
  lowest(word: number, bits: number): number {
    return this.#planes.extreme(word - this.#start, bits, false)
  }
}
