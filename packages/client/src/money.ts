const MAX_U64 = 2n ** 64n - 1n
const EXAMPLE = 'such as 12.5'

/** The text is not an amount. `reason` is a sentence that says what to change. */
export class AmountError extends Error {
  override readonly name = 'AmountError'
  readonly reason: string

  constructor(text: string, unit: string, reason: string) {
    super(`${JSON.stringify(text.slice(0, 40))} is not an amount of ${unit}. ${reason}`)
    this.reason = reason
  }
}

/**
 * USDC in base units: `usdc('12.5')` is 12500000n. The text has digits, and at most one point with
 * up to 6 decimals. Throws AmountError.
 */
export const usdc = (text: string): bigint => parseAmount(text, 'USDC', 6)

/** SOL in lamports, with up to 9 decimals: `sol('0.5')` is 500000000n. Throws AmountError. */
export const sol = (text: string): bigint => parseAmount(text, 'SOL', 9)

function parseAmount(input: string, unit: string, decimals: number): bigint {
  // Programs in JavaScript may give a number, which may be rounded already.
  const text: unknown = input
  if (typeof text !== 'string') throw new AmountError(String(text), unit, `Give a text, ${EXAMPLE}.`)
  const [, whole = '', fraction = ''] = /^([0-9]+)(?:\.([0-9]+))?$/.exec(text) ?? []
  if (whole === '') throw new AmountError(text, unit, reasonOf(text))
  if (fraction.length > decimals)
    throw new AmountError(text, unit, `${unit} has at most ${decimals} decimals.`)
  const digits = (whole + fraction.padEnd(decimals, '0')).replace(/^0+/, '')
  // BigInt takes long for a text of a million digits.
  if (digits.length > 20 || BigInt(digits) > MAX_U64)
    throw new AmountError(text, unit, `The largest amount is ${largest(decimals)} ${unit}.`)
  return BigInt(digits)
}

/** What is wrong with a text that is not digits with one point. The first mistake counts. */
function reasonOf(text: string): string {
  const mistakes: [RegExp, string][] = [
    [/^\s*$/, `Enter an amount, ${EXAMPLE}.`],
    [/,/, `Use a point for decimals and nothing between thousands, such as 1250.5.`],
    [/[0-9][\s'’_٬]+[0-9]/, 'Use nothing between thousands, such as 1250.5.'],
    [/^\s*[-+−]/, 'Use no sign.'],
    [/(?![0-9])\p{N}/u, 'Use the digits 0 to 9.'],
    [/^[0-9.]+e/i, 'Use all digits in place of an exponent.'],
    [/\..*\./, 'Use only one point.'],
    [/^\.|\.$/, 'Use a digit before and after the point, such as 0.5.'],
  ]
  const [, reason] = mistakes.find(([pattern]) => pattern.test(text)) ?? []
  return reason ?? `Use only digits and one point, ${EXAMPLE}.`
}

function largest(decimals: number): string {
  const digits = String(MAX_U64)
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
