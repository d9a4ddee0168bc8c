/**
 * `12345.678` is `12,345.678`, with at most `decimals`. The first use of `Intl` takes 5 ms, so the
 * first page does without it.
 */
export function withCommas(value: number | bigint, decimals = 3): string {
  const isWhole = typeof value === 'bigint' || Number.isInteger(value)
  const [whole = '', fraction = ''] = (isWhole ? value.toString() : value.toFixed(decimals)).split('.')
  const shown = fraction.replace(/0+$/, '')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (shown === '' ? '' : `.${shown}`)
}

/** "1 delivery", or "1,200 deliveries". */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${withCommas(count)} ${count === 1 ? one : many}`
