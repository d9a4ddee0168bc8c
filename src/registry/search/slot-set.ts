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
      if (this.size === this.list.length) this.list = resized(this.list, Math.ceil(this.size * 1.5))
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

  /** Makes room for slots up to a larger capacity. */
  grow(capacity: number): void {
    if (this.bitmap === null) return
    if (this.size * WORD_BITS * 2 > capacity) this.bitmap = resized(this.bitmap, words(capacity))
    else this.#toList(this.bitmap)
  }

  #toBitmap(capacity: number): void {
    const bitmap = new Uint32Array(words(capacity))
    for (let i = 0; i < this.size; i++) bitmap[this.list[i]! >> 5]! |= 1 << (this.list[i]! & 31)
    this.bitmap = bitmap
    this.list = new Uint32Array(0)
  }

  #toList(bitmap: Uint32Array): void {
    const list = new Uint32Array(Math.max(this.size, MIN_LENGTH))
    let length = 0
    for (const [word, bits] of bitmap.entries())
      for (let rest = bits; rest !== 0; rest &= rest - 1) list[length++] = word * WORD_BITS + lowestBit(rest)
    this.list = list
    this.bitmap = null
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

/** A copy with another length. */
export function resized<Values extends Uint8Array | Uint16Array | Uint32Array | Int32Array | Float64Array>(
  values: Values,
  length: number,
): Values {
  const copy = new (values.constructor as new (length: number) => Values)(length)
  copy.set(values)
  return copy
}

/** For each trigram, the slots of the names that contain it. */
export class Postings {
  readonly #sets = new Map<Trigram, SlotSet>()

  add(slot: number, trigrams: readonly Trigram[], capacity: number): void {
    for (const trigram of trigrams) {
      let set = this.#sets.get(trigram)
      if (set === undefined) this.#sets.set(trigram, (set = new SlotSet()))
      set.add(slot, capacity)
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

  grow(capacity: number): void {
    for (const set of this.#sets.values()) set.grow(capacity)
  }

  /** The sets of those trigrams that a name contains. */
  of(trigrams: readonly Trigram[]): SlotSet[] {
    return trigrams.flatMap((trigram) => this.#sets.get(trigram) ?? [])
  }
}
