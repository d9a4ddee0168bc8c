/** The similarity of pg_trgm for ASCII text, to check searches. */
export function similarity(a: string, b: string): number {
  const [left, right] = [trigrams(a), trigrams(b)]
  const shared = left.intersection(right).size
  return shared === 0 ? 0 : shared / left.union(right).size
}

function trigrams(text: string): Set<string> {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? []
  return new Set(
    words.flatMap((word) => {
      const padded = `  ${word} `
      return Array.from({ length: padded.length - 2 }, (_, i) => padded.slice(i, i + 3))
    }),
  )
}
