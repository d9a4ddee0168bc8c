/** The middle value, the higher of two; 0 of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
}

export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits))
}
