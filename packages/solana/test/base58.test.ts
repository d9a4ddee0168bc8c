import bs58 from 'bs58'
import * as fc from '../../../test/support/property.ts'
import { expect, test } from 'vitest'
import { decodeBase58, encodeBase58 } from '../src/base58.ts'

const bytes = fc
  .tuple(fc.nat(3), fc.uint8Array({ maxLength: 800, size: 'max' }))
  .map(([zeros, rest]) => Uint8Array.from([...Array<number>(zeros).fill(0), ...rest]))

test('bytes are encoded and decoded as the reference package does', () => {
  fc.assert(
    fc.property(bytes, (value) => {
      const text = encodeBase58(value)
      expect(text).toBe(bs58.encode(value))
      expect(decodeBase58(text)).toEqual(value)
    }),
    { numRuns: 500 },
  )
})

test('any text is decoded, or refused, as the reference package does', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 100 }),
    fc.string({ unit: fc.constantFrom(...Array.from('123456789zZyAaé0OIl')), maxLength: 200 }),
    fc.string({ unit: fc.constantFrom(...Array.from('1zZyAa9')), maxLength: 400, size: 'max' }),
  )
  fc.assert(
    fc.property(text, (value) => {
      const reference = bs58.decodeUnsafe(value)
      expect(decodeBase58(value)).toEqual(reference === undefined ? null : Uint8Array.from(reference))
    }),
    { numRuns: 500 },
  )
})
