/** The lowest similarity that a search by name returns, 3 / 10, as the database sessions set it. */
const [NUMERATOR, DENOMINATOR] = [3, 10]

/** The similarity of two texts by their numbers of different trigrams, as pg_trgm rounds it. */
export function similarity(shared: number, one: number, other: number): number {
  return Math.fround(shared / (one + other - shared))
}

/** Whether the similarity is at least 0.3. */
export function isMatch(shared: number, one: number, other: number): boolean {
  return (NUMERATOR + DENOMINATOR) * shared >= NUMERATOR * (one + other)
}

/** The lowest number of shared trigrams of a match: at least one. */
export function leastShared(one: number, other: number): number {
  return Math.max(1, Math.ceil((NUMERATOR * (one + other)) / (NUMERATOR + DENOMINATOR)))
}
