import { withCommas } from './number.ts'
interface AmountProps {
  /** The smallest units, as bigint or the decimal text of the API. */
  readonly value: bigint | string
  /** `usdc` has 6 decimals, `sol` 9. */
  readonly unit: 'usdc' | 'sol'
}

const DECIMALS = { usdc: 6, sol: 9 }

export function Amount({ value, unit }: AmountProps) {
  return (
    <span>
      {formatUnits(BigInt(value), DECIMALS[unit])} {unit.toUpperCase()}
    </span>
  )
}

/** An exact amount: 1234500000n with 6 decimals is `1,234.5`. */
export function formatUnits(value: bigint, decimals: number): string {
  const [whole = '', ...fraction] = plainUnits(value < 0n ? -value : value, decimals).split('.')
  return [`${value < 0n ? '−' : ''}${withCommas(BigInt(whole))}`, ...fraction].join('.')
}

/** Base units of the API, or of a chart. */
export const usdc = (value: bigint | number | string): string => formatUnits(BigInt(value), DECIMALS.usdc)

/** As a user types it: 1234500000n with 6 decimals is `1234.5`. */
export function plainUnits(value: bigint, decimals: number): string {
  const digits = value.toString().padStart(decimals + 1, '0')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return digits.slice(0, -decimals) + (fraction === '' ? '' : `.${fraction}`)
}
