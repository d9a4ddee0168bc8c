/** The middle value, the mean of two in the middle; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[values.length >> 1] ?? 0
  return values.length % 2 === 1 ? upper : (upper + (sorted[(values.length >> 1) - 1] ?? 0)) / 2
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
