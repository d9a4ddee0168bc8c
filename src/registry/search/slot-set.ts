import type { Trigram } from './trigrams.ts'

const MIN_LENGTH = 2
/** Slots of a word of a bitmap. */
export const WORD_BITS = 32

/** A set of slots: a list, or a bitmap where that takes less memory. */
export class SlotSet {
  size = 0
  /** The first `size` entries are the slots, in no order. Empty if there is a bitmap. */
  list = new Uint32Array(MIN_LENGTH)
  /** Has a bit for each slot up to the capacity. */
  bitmap: Uint32Array | null = null

  /** The slot must not be in the set. */
  add(slot: number, capacity: number): void {
    if (this.bitmap === null && (this.size + 1) * WORD_BITS > capacity) this.#toBitmap(capacity)
    if (this.bitmap !== null) this.bitmap[slot >> 5]! |= 1 << (slot & 31)
    else {
      if (this.size === this.list.length) this.#growList()
      this.list[this.size] = slot
    }
    this.size += 1
  }

  /** The slot must be in the set. */
  remove(slot: number): void {
    this.size -= 1
    if (this.bitmap !== null) this.bitmap[slot >> 5]! &= ~(1 << (slot & 31))
    else this.list[this.list.indexOf(slot)] = this.list[this.size]!
  }

  #growList(): void {
    const { list } = this
    this.list = new Uint32Array(Math.ceil(list.length * 1.5))
    this.list.set(list)
  }

  #toBitmap(capacity: number): void {
    const bitmap = new Uint32Array(words(capacity))
    for (let i = 0; i < this.size; i++) bitmap[this.list[i]! >> 5]! |= 1 << (this.list[i]! & 31)
    this.bitmap = bitmap
    this.list = new Uint32Array(0)
  }
}

/** The number of the lowest bit that is set. */
export const lowestBit = (bits: number): number => 31 - Math.clz32(bits & -bits)

/** How many bits are set. */
export function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555)
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

/** The words of a bitmap. */
export const words = (capacity: number): number => Math.ceil(capacity / WORD_BITS)

/** For each trigram, the slots of the names that contain it. */
export class Postings {
  readonly #sets = new Map<Trigram, SlotSet>()
  readonly #capacity: number

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  add(slot: number, trigrams: readonly Trigram[]): void {
    for (const trigram of trigrams) {
      let set = this.#sets.get(trigram)
      if (set === undefined) this.#sets.set(trigram, (set = new SlotSet()))
      set.add(slot, this.#capacity)
    }
  }

  /** The trigrams must be those that were added. */
  remove(slot: number, trigrams: readonly Trigram[]): void {
    for (const trigram of trigrams) {
      const set = this.#sets.get(trigram)!
      set.remove(slot)
      if (set.size === 0) this.#sets.delete(trigram)
    }
  }

  /** The sets of those trigrams that a name contains. */
  of(trigrams: readonly Trigram[]): SlotSet[] {
    return trigrams.flatMap((trigram) => this.#sets.get(trigram) ?? [])
  }
}

type Numbers = Uint8Array | Int32Array | Float64Array

/** A number of each slot, and the range of the numbers of each word of slots. */
export class SlotNumbers<Values extends Numbers> {
  readonly values: Values
  /** The lowest and the highest number of each word, when it was measured last. */
  readonly low: Values
  readonly high: Values

  constructor(type: new (length: number) => Values, capacity: number) {
    this.values = new type(capacity)
    this.low = new type(words(capacity))
    this.high = new type(words(capacity))
  }

  /** Finds the range of the slots of a word whose bits are set, which is 0 if none is. */
  measure(word: number, used: number): void {
    let low = Infinity
    let high = -Infinity
    for (let bit = 0; bit < WORD_BITS; bit++) {
      if (((used >>> bit) & 1) === 0) continue
      const value = this.values[word * WORD_BITS + bit]!
      if (value < low) low = value
      if (value > high) high = value
    }
    this.low[word] = used === 0 ? 0 : low
    this.high[word] = used === 0 ? 0 : high
  }
}
