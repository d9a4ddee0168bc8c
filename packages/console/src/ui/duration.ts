const UNITS: [seconds: number, unit: Intl.NumberFormatOptions['unit'] & string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

const format = (value: number, unit: string): string =>
  new Intl.NumberFormat('en', { style: 'unit', unit, unitDisplay: 'long' }).format(value)

/** A duration with its two largest units: "6 days 23 hours". */
export function inWords(seconds: number): string {
  let rest = Math.max(0, Math.floor(seconds))
  const parts: string[] = []
  for (const [length, unit] of UNITS) {
    const count = Math.floor(rest / length)
    rest -= count * length
    if (count > 0) parts.push(format(count, unit))
    else if (parts.length > 0) break
    if (parts.length === 2) break
  }
  return parts.length === 0 ? format(0, 'second') : parts.join(' ')
}
