import { lowestBit } from './slot-set.ts'

/** Slots that may match, and the number of trigrams that each shares with the query. */
export interface Candidates {
  size: number
  readonly slots: Uint32Array
  readonly shared: Uint8Array
}

/** Words that are counted together: their planes stay in the processor's cache. */
export const BLOCK = 128
const PLANES = 7
/** The highest count. */
export const MAX_COUNT = 2 ** PLANES - 1

/**
 * A count from 0 to 127 for each bit of a block of words. Plane `n` has the binary digit `n` of all
 * counts, so that an operation on a word counts 32 bits at once.
 */
export class BitPlanes {
  readonly #p0 = new Uint32Array(BLOCK)
  readonly #p1 = new Uint32Array(BLOCK)
  readonly #p2 = new Uint32Array(BLOCK)
  readonly #p3 = new Uint32Array(BLOCK)
  readonly #p4 = new Uint32Array(BLOCK)
  readonly #p5 = new Uint32Array(BLOCK)
  readonly #p6 = new Uint32Array(BLOCK)
  readonly #all = [this.#p0, this.#p1, this.#p2, this.#p3, this.#p4, this.#p5, this.#p6]

  clear(): void {
    for (const plane of this.#all) plane.fill(0)
  }

  /** Counts the bits of three bitmaps, from the word `start`. */
  add(one: Uint32Array, two: Uint32Array, three: Uint32Array, start: number, length: number): void {
    // Local names and plain assignments: this loop takes most of the time of a search.
    const p0 = this.#p0
    const p1 = this.#p1
    const p2 = this.#p2
    const p3 = this.#p3
    for (let i = 0; i < length; i++) {
      const x = one[start + i]!
      const y = two[start + i]!
      const z = three[start + i]!
      const difference = x ^ y
      const sum = difference ^ z
      const twos = (x & y) | (difference & z)
      const ones = p0[i]!
      p0[i] = ones ^ sum
      let carry = ones & sum
      const old = p1[i]!
      p1[i] = old ^ twos ^ carry
      carry = (old & twos) | ((old ^ twos) & carry)
      let plane = p2[i]!
      p2[i] = plane ^ carry
      carry &= plane
      plane = p3[i]!
      p3[i] = plane ^ carry
      carry &= plane
      if (carry !== 0) this.#carry(i, carry)
    }
  }

  /** Adds 16 to the counts of these bits. */
  #carry(index: number, bits: number): void {
    const old = this.#p4[index]!
    this.#p4[index] = old ^ bits
    const carry = old & bits
    const next = this.#p5[index]!
    this.#p5[index] = next ^ carry
    this.#p6[index]! ^= next & carry
  }

  /** The bits of a word whose count is at least `least`. */
  atLeast(index: number, least: number): number {
    let above = 0
    let equal = -1
    for (let i = PLANES - 1; i >= 0; i--) {
      const digit = this.#all[i]![index]!
      if (((least >> i) & 1) === 1) equal &= digit
      else {
        above |= equal & digit
        equal &= ~digit
      }
    }
    return above | equal
  }

  /** Adds the slots of these bits of a word, which begins with `firstSlot`, and their counts. */
  collect(index: number, bits: number, firstSlot: number, to: Candidates): void {
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const bit = lowestBit(rest)
      to.shared[to.size] = this.countOf(index, bit)
      to.slots[to.size++] = firstSlot + bit
    }
  }

  /** The count of a bit of a word. */
  countOf(index: number, bit: number): number {
    return (
      ((this.#p0[index]! >>> bit) & 1) |
      (((this.#p1[index]! >>> bit) & 1) << 1) |
      (((this.#p2[index]! >>> bit) & 1) << 2) |
      (((this.#p3[index]! >>> bit) & 1) << 3) |
      (((this.#p4[index]! >>> bit) & 1) << 4) |
      (((this.#p5[index]! >>> bit) & 1) << 5) |
      (((this.#p6[index]! >>> bit) & 1) << 6)
    )
  }

  /** The highest count of these bits of a word, or the lowest. */
  extreme(index: number, bits: number, isHighest: boolean): number {
    const flipped = isHighest ? 0 : -1
    let rest = bits
    let count = 0
    for (let i = PLANES - 1; i >= 0; i--) {
      const better = rest & (this.#all[i]![index]! ^ flipped)
      if (better !== 0) rest = better
      if ((better !== 0) === isHighest) count |= 1 << i
    }
    return count
  }
}
