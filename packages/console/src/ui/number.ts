/**
 * `12345.678` is `12,345.678`, with at most `decimals`. `Intl` has more, and takes 5 ms at its first
 * use, for which the first page would wait.
 */
export function withCommas(value: number | bigint, decimals = 3): string {
  const rounded = typeof value === 'bigint' ? value : Math.round(value * 10 ** decimals) / 10 ** decimals
  const [whole = '', fraction] = String(rounded).split('.')
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ',')
  return fraction === undefined ? grouped : `${grouped}.${fraction}`
}
