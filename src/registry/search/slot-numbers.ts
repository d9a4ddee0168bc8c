import { resized, WORD_BITS, words } from './slot-set.ts'

type Numbers = Uint8Array | Int32Array | Float64Array

/** A number of each slot, and the range of the numbers of each word of slots. */
export class SlotNumbers<Values extends Numbers> {
  values: Values
  /** The lowest and the highest number of each word, when it was measured last. */
  low: Values
  high: Values

  constructor(type: new (length: number) => Values, capacity: number) {
    this.values = new type(capacity)
    this.low = new type(words(capacity))
    this.high = new type(words(capacity))
  }

  grow(capacity: number): void {
    this.values = resized(this.values, capacity)
    this.low = resized(this.low, words(capacity))
    this.high = resized(this.high, words(capacity))
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
