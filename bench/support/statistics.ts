/** The median. 0 if there are no values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[values.length >> 1] ?? 0
  return values.length % 2 === 1 ? upper : (upper + (sorted[(values.length >> 1) - 1] ?? 0)) / 2
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
