import { hash } from 'node:crypto'

/** Texts share counters. The smallest of several counters is rarely shared with a frequent text. */
const ROWS = 4
/** Counters of a row. A power of two, so that a place is some bits of a hash. */
const PLACES = 4_096
/** Uses after which all counts are halved, so that documents of the past lose their advantage. */
const SAMPLE = 10 * PLACES

/** Where a text is counted. */
export type Places = readonly number[]

/**
 * Estimates how often each text was used lately, in little memory (a count-min sketch). A count is
 * never too low.
 */
export class Frequencies {
  readonly #counts = new Uint32Array(ROWS * PLACES)
  #uses = 0

  static placesOf(text: string): Places {
    // Nobody can choose documents that share all places with a frequent one.
    const bits = hash('sha256', text, 'buffer')
    return Array.from({ length: ROWS }, (_, row) => row * PLACES + (bits.readUInt16LE(2 * row) % PLACES))
  }

  /** Counts a use and returns the uses so far. */
  count(places: Places): number {
    this.#uses += 1
    if (this.#uses % SAMPLE === 0) this.#counts.forEach((count, at) => (this.#counts[at] = count >> 1))
    for (const place of places) this.#counts[place]! += 1
    return this.at(places)
  }

  at(places: Places): number {
    return Math.min(...places.map((place) => this.#counts[place]!))
  }
}
