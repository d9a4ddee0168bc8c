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
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const whole = BigInt(digits.slice(0, -decimals)).toLocaleString('en')
  const fraction = digits.slice(-decimals).replace(/0+$/, '')
  return `${value < 0n ? '−' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** The smallest units of a typed amount such as `1,234.5`. Null if it is not one. */
export function parseUnits(text: string, decimals: number): bigint | null {
  const match = /^(\d+)(?:\.(\d+))?$/.exec(text.trim().replace(/,/g, ''))
  if (match === null || (match[2] ?? '').length > decimals) return null
  return BigInt(match[1]! + (match[2] ?? '').padEnd(decimals, '0'))
}
