import { expect, test } from 'vitest'
import { plural, withCommas } from '../src/ui/number.ts'

test('numbers are written as Intl writes them', () => {
  const values = [
    0,
    7,
    999,
    1_000,
    12_345.678,
    1_234.5,
    -1_234,
    -999_999.25,
    0.0005,
    2 ** 53,
    -233_812_376_073_870,
    999.9996,
  ]
  for (const value of values) expect(withCommas(value)).toBe(value.toLocaleString('en'))
  const more = { maximumFractionDigits: 6 }
  expect(withCommas(1_234.567_891_2, 6)).toBe((1_234.567_891_2).toLocaleString('en', more))
  for (let i = 1; i < 2_000; i += 1) {
    const value = Math.round(i * 791_931.7 - 1e9 / 3) / 1_000
    expect(withCommas(value)).toBe(value.toLocaleString('en'))
  }
  for (const value of [0n, 1_000n, 18_446_744_073_709_551_615n, -5_000n])
    expect(withCommas(value)).toBe(value.toLocaleString('en'))
})

test('a count is in front of the singular or the plural', () => {
  expect(plural(1, 'agent')).toBe('1 agent')
  expect(plural(0, 'agent')).toBe('0 agents')
  expect(plural(1_200, 'delivery', 'deliveries')).toBe('1,200 deliveries')
})
