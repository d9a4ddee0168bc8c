import * as fc from '../../support/property.ts'
import { describe, expect, test } from 'vitest'
import {
  booleanParameter,
  integerParameter,
  optional,
  textParameter,
} from '../../../src/domain/parameters.ts'
import { quoted } from '../../../src/domain/quoted.ts'
import { DomainError } from '../../../src/domain/errors.ts'

describe('quoted', () => {
  test.each([
    ['plain', '"plain"'],
    ['"\\', '"\\"\\\\"'],
    ['\u0000\u001b[31m\u007f\u0085', '"\\u0000\\u001b[31m\\u007f\\u0085"'],
    ['\u2028\u202e\ufeff', '"\\u2028\\u202e\\ufeff"'],
    ['\ud800', '"\\ud800"'],
    ['ж'.repeat(65), `"${'ж'.repeat(64)}…"`],
    [7, '7'],
    [undefined, 'undefined'],
  ])('%j', (value, shown) => {
    expect(quoted(value)).toBe(shown)
  })

  test('returns short visible text for any input', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const shown = quoted(text)
        expect(shown).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(shown.isWellFormed()).toBe(true)
        expect(shown.length).toBeLessThan(64 * 12 + 4)
      }),
    )
  })
})

describe('integers', () => {
  const read = integerParameter({ min: -5, max: 2 ** 53 })

  test.each([
    [0, 0],
    [-5, -5],
    ['0', 0],
    ['-5', -5],
    ['9007199254740991', 2 ** 53 - 1],
  ])('%j is accepted', (value, number) => {
    expect(read('n', value)).toBe(number)
  })

  test.each([
    '',
    '-0',
    '00',
    '1.0',
    '1e3',
    ' 1',
    '1 ',
    '+1',
    '0x1',
    '1n',
    '٣',
    '-6',
    '9007199254740993',
    1.5,
    NaN,
    true,
    null,
    [],
    2 ** 53,
  ])('%j is refused', (value) => {
    expect(() => read('n', value)).toThrow(DomainError)
  })
})

test('booleans are true and false, in JSON or as text', () => {
  expect([true, 'true', false, 'false'].map((value) => booleanParameter('b', value))).toEqual([
    true,
    true,
    false,
    false,
  ])
  for (const value of ['', '1', 'TRUE', 0, 'yes'])
    expect(() => booleanParameter('b', value)).toThrow(DomainError)
})

test('text is counted in characters, and must be well formed', () => {
  const read = textParameter(2)
  expect(read('t', '💩💩')).toBe('💩💩')
  for (const value of ['', '💩💩💩', '\ud83d', 'a\n', 7]) expect(() => read('t', value)).toThrow(DomainError)
})

test('undefined and null are absent', () => {
  expect([undefined, null].map((value) => optional(booleanParameter, 'b', value))).toEqual([
    undefined,
    undefined,
  ])
})

test('an error text names parameters as the interface spells them', () => {
  const error = new DomainError('INVALID_RANGE', { low: 'minX', lowValue: 2, high: 'maxX', highValue: 1 })
  expect(error.message).toBe('minX must not be greater than maxX, got 2 and 1')
  expect(error.messageNaming((name) => name.toUpperCase())).toBe(
    'MINX must not be greater than MAXX, got 2 and 1',
  )
})
