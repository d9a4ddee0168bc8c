/** The three bytes that pg_trgm stores for a trigram, the first one highest. */
export type Trigram = number

const SPACE = 0x20
const TEXT_LENGTH = 3
/** The lowest similarity of `name`, 3 / 10, as the database sessions set it. */
const [NUMERATOR, DENOMINATOR] = [3, 10]

/**
 * The different trigrams of a text of ASCII characters: of each word in lower case, with two spaces
 * before it and one after it.
 */
export function asciiTrigrams(text: string): Trigram[] {
  const found = new Set<Trigram>()
  let first = 0
  let second = 0
  for (let i = 0; i <= text.length; i++) {
    const character = letterOrDigit(text.charCodeAt(i))
    if (character === 0) {
      if (second !== 0) found.add((first << 16) | (second << 8) | SPACE)
      first = 0
      second = 0
      continue
    }
    if (second === 0) {
      first = SPACE
      second = SPACE
    }
    found.add((first << 16) | (second << 8) | character)
    first = second
    second = character
  }
  return [...found]
}

/** The code in lower case. 0 for other characters, and for NaN, the end of a text. */
function letterOrDigit(code: number): number {
  if (code >= 0x61 && code <= 0x7a) return code
  if (code >= 0x30 && code <= 0x39) return code
  return code >= 0x41 && code <= 0x5a ? code + 0x20 : 0
}

/** Reads the result of `show_trgm`: three characters, or a hash in hex for other scripts. */
export function shownTrigrams(shown: readonly string[]): Trigram[] {
  return shown.map((text) =>
    text.length === TEXT_LENGTH
      ? (text.charCodeAt(0) << 16) | (text.charCodeAt(1) << 8) | text.charCodeAt(2)
      : Number.parseInt(text, 16),
  )
}

/** How a searched text is compared with a name, by their numbers of different trigrams. */
interface Measure {
  /** From 0 to 1, as PostgreSQL rounds it. */
  readonly similarity: (shared: number, queried: number, named: number) => number
  /** The lowest number of shared trigrams of a match: at least one. */
  readonly least: (queried: number, named: number) => number
}

export const MEASURES = {
  /** The similarity of pg_trgm to the whole name: at least 0.3. */
  name: {
    similarity: (shared, queried, named) => Math.fround(shared / (queried + named - shared)),
    least: (queried, named) =>
      Math.max(1, Math.ceil((NUMERATOR * (queried + named)) / (NUMERATOR + DENOMINATOR))),
  },
  /** The part of the text's trigrams that the name has: at least half. */
  words: {
    similarity: (shared, queried) => Math.fround(shared / queried),
    least: (queried) => Math.max(1, Math.ceil(queried / 2)),
  },
} as const satisfies Record<string, Measure>

export type SearchBy = keyof typeof MEASURES
