import * as fc from '../../../test/support/property.ts'
import { expect, test } from 'vitest'
import { AmountError, sol, usdc } from '../src/index.ts'
import { scaled } from '../../../test/support/machine-speed.ts'

const MAX_U64 = 2n ** 64n - 1n

/** The same grammar, read one character at a time. Null if the text is refused. */
function oracle(text: string, decimals: number): bigint | null {
  let value = 0n
  let afterPoint = -1
  let before = ''
  for (const char of text) {
    const digit = '0123456789'.indexOf(char)
    if (char === '.' && afterPoint < 0 && before !== '') afterPoint = 0
    else if (digit < 0) return null
    else {
      value = value * 10n + BigInt(digit)
      if (afterPoint >= 0) afterPoint += 1
    }
    before = char
  }
  if (before === '' || before === '.' || afterPoint > decimals) return null
  for (let i = Math.max(afterPoint, 0); i < decimals; i += 1) value *= 10n
  return value <= MAX_U64 ? value : null
}

function parsed(parse: (text: string) => bigint, text: string): bigint | null {
  try {
    return parse(text)
  } catch (error) {
    if (error instanceof AmountError && /^[A-Z].*\.$/.test(error.reason)) return null
    throw error
  }
}

const digits = (max: number) =>
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), maxLength: max })
const number = fc
  .tuple(fc.oneof(digits(9), digits(16)), fc.constantFrom('.', '.', ''), digits(8))
  .map((parts) => parts.join(''))
const nearly = fc
  .tuple(
    fc.constantFrom('', '+', '-', ' ', '0', '1', '$', '0x', '.'),
    fc.oneof(fc.nat().map(String), number),
    fc.constantFrom(
      '',
      ',',
      '.',
      ',5',
      '.5',
      ' 000',
      '_0',
      '’000',
      'e3',
      'E-2',
      '٣',
      '५',
      '²',
      ' USDC',
      '\n',
    ),
    fc.constantFrom('', '0', '5', '000001', '.'),
  )
  .map((parts) => parts.join(''))
const texts = fc.oneof(
  number,
  nearly,
  fc.string({ unit: fc.constantFrom(...Array.from('0123456789.,-+eE ')), maxLength: 24 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
)

test('1,000 generated texts have the amount of the grammar, or are refused with a reason', () => {
  let accepted = 0
  fc.assert(
    fc.property(texts, (text) => {
      expect(parsed(usdc, text)).toBe(oracle(text, 6))
      expect(parsed(sol, text)).toBe(oracle(text, 9))
      if (oracle(text, 9) !== null) accepted += 1
    }),
    { numRuns: 1_000 },
  )
  expect(accepted).toBeGreaterThan(100)
  expect(accepted).toBeLessThan(900)
})

test('every amount of a u64 is read back exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: MAX_U64 }), (units) => {
      const digits = String(units).padStart(7, '0')
      expect(usdc(`${digits.slice(0, -6)}.${digits.slice(-6)}`)).toBe(units)
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['', 'Enter an amount'],
  ['  ', 'Enter an amount'],
  ['12,5', 'Use a point for decimals'],
  ['1,250', 'nothing between thousands'],
  ['1.250,5', 'Use a point for decimals'],
  ['1 250', 'nothing between thousands'],
  ['1\u00A0250', 'nothing between thousands'],
  ["1'250", 'nothing between thousands'],
  ['1_250', 'nothing between thousands'],
  ['-5', 'no sign'],
  ['+5', 'no sign'],
  ['−5', 'no sign'],
  ['1e3', 'exponent'],
  ['١٢', 'digits 0 to 9'],
  ['１２', 'digits 0 to 9'],
  ['1.2.3', 'only one point'],
  ['.5', 'before and after the point'],
  ['5.', 'before and after the point'],
  ['0x10', 'only digits and one point'],
  ['$5', 'only digits and one point'],
  [' 5', 'only digits and one point'],
  ['5 USDC', 'only digits and one point'],
  ['1.0000000', 'at most 6 decimals'],
  ['18446744073709.551616', 'The largest amount is 18446744073709.551615 USDC.'],
])('the reason for %j says what to change', (text, reason) => {
  const error = (() => {
    try {
      return usdc(text)
    } catch (thrown) {
      return thrown as AmountError
    }
  })() as AmountError
  expect(error.reason).toContain(reason)
  expect(error.message).toContain('is not an amount of USDC')
  expect(error.message.length).toBeLessThan(200)
})

test('a very long text is refused at once, and not repeated in the error', () => {
  const text = '9'.repeat(1_000_000)
  const start = performance.now()
  expect(() => usdc(text)).toThrow('The largest amount is')
  expect(() => usdc(`${text}x`)).toThrow(/^.{0,200}$/)
  expect(performance.now() - start).toBeLessThan(scaled(1_000))
})

test('a number is refused, because it may be rounded', () => {
  expect(() => usdc(12.5 as unknown as string)).toThrow('"12.5" is not an amount of USDC. Give a text')
})

test('0 is an amount: the caller decides whether it is allowed', () => {
  expect([usdc('0'), usdc('0.0'), usdc('007'), usdc('18446744073709.551615')]).toEqual([
    0n,
    0n,
    7_000_000n,
    MAX_U64,
  ])
})
