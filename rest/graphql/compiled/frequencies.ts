/** Texts share counters. The smallest of several counters is rarely shared with a frequent text. */
const ROWS = 4
/** Counters of a row. A power of two. */
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
  readonly #counts = new Uint16Array(ROWS * PLACES)
  #uses = 0

  static placesOf(text: string): Places {
    let [one, two] = [0x811c9dc5, 0x9747b28c]
    for (let i = 0; i < text.length; i += 1) {
      const code = text.charCodeAt(i)
      one = Math.imul(one ^ code, 0x01000193)
      two = Math.imul(two ^ code, 0x5bd1e995) ^ (two >>> 15)
    }
    return Array.from({ length: ROWS }, (_, row) => {
      const hash = Math.imul(one + Math.imul(row, two), 0x9e3779b1)
      return row * PLACES + ((hash >>> 16) & (PLACES - 1))
    })
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
