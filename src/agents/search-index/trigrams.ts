/** The three bytes that pg_trgm stores for a trigram, the first one highest. */
export type Trigram = number

const SPACE = 0x20
const TEXT_LENGTH = 3

/** Text whose trigrams `asciiTrigrams` knows. */
export const isAscii = (text: string): boolean => !/[^\0-\u007f]/.test(text)

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

/** Whether these are the same trigrams in any order. Each must contain a trigram once. */
export function isSameSet(one: readonly Trigram[], other: readonly Trigram[]): boolean {
  const known = new Set(one)
  return one.length === other.length && other.every((trigram) => known.has(trigram))
}
