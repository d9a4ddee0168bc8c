import { assert, constantFrom, json as anyJson, property } from '../../support/property.ts'
import { expect, test } from 'vitest'
import { hasMoreMembers } from '../../../rest/contract/json-size.ts'

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce((sum: number, each) => sum + 1 + countMembers(each), 0)
}

test('the count in the text equals the count in the parsed value, with any spacing', () => {
  assert(
    property(anyJson({ maxDepth: 6 }), constantFrom(0, 1, '\t'), (json, space) => {
      const value: unknown = JSON.parse(json)
      const text = JSON.stringify(value, null, space)
      const count = countMembers(value)
      expect(hasMoreMembers(text, count)).toBe(false)
      expect(hasMoreMembers(text, Math.max(count - 1, 0))).toBe(count > 0)
    }),
    { numRuns: 2_000 },
  )
})

test.each([
  ['quotes and backslashes', JSON.stringify(['a",[', '\\', '\\"', '{,,,']), 4],
  ['empty lists and objects', '[[ ],{ },[\n]]', 3],
  ['nesting', '['.repeat(100) + ']'.repeat(100), 99],
])('counts members with %s', (_, json, count) => {
  expect(hasMoreMembers(json, count)).toBe(false)
  expect(hasMoreMembers(json, count - 1)).toBe(true)
})

test('invalid JSON does not cause an endless loop', () => {
  for (const text of ['"\\', '"'.repeat(9), '[,,"', '\\"\\"'.repeat(9)])
    expect(typeof hasMoreMembers(text, 1)).toBe('boolean')
})
