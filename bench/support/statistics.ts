/** A value that was measured in several rounds. */
export interface Spread {
  readonly median: number
  readonly min: number
  readonly max: number
  readonly rounds: number
}

export function spread(rounds: readonly number[]): Spread {
  const [middle, min, max] = [median(rounds), Math.min(...rounds), Math.max(...rounds)].map((value) =>
    rounded(value, 3),
  ) as [number, number, number]
  return { median: middle, min, max, rounds: rounds.length }
}

/** The median. 0 if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[values.length >> 1] ?? 0
  return values.length % 2 === 1 ? upper : (upper + (sorted[(values.length >> 1) - 1] ?? 0)) / 2
}

/** The smallest value that is not below `percent` of the values. 0 if there are no values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
