import * as fc from '../../support/property.ts'
import { expect, test } from 'vitest'
import { findRepeatedKey } from '../../../src/domain/repeated-key.ts'

const key = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('a', '"', '\\', '{', '}', ':', '__proto__'),
)
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 0 }),
    key,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: false }),
  ),
}))

test('JSON that was written from values has no repeated key, however it is indented', () => {
  fc.assert(
    fc.property(value, fc.nat(3), (each, indent) => {
      expect(findRepeatedKey(JSON.stringify(each, null, indent))).toBeNull()
    }),
    { numRuns: 2_000 },
  )
})

test('a key that is repeated anywhere is found, whatever surrounds it and however it is escaped', () => {
  const escapeAll = (text: string): string =>
    `"${text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}"`
  fc.assert(
    fc.property(key, value, value, fc.boolean(), fc.boolean(), (name, one, other, isEscaped, isNested) => {
      const second = isEscaped ? escapeAll(name) : JSON.stringify(name)
      const object = `{${JSON.stringify(name)} : ${JSON.stringify(one)},${second}:${JSON.stringify(other)}}`
      const text = isNested ? `[${JSON.stringify(other)},{"outer":${object}}]` : object
      JSON.parse(text)
      expect(findRepeatedKey(text)).toBe(name)
    }),
    { numRuns: 2_000 },
  )
})
