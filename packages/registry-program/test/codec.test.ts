import * as fc from '../../../test/support/property.ts'
import { describe, expect, test } from 'vitest'
import { pubkeyFromBytes } from '@agent-registry/solana'
import { SERVICE_CATEGORIES } from '../src/generated/types.ts'
import { registryIdl } from '../src/idl.ts'
import { decodeAccount, decodeEvent, decodeInstruction, encodeInstruction } from '../src/codec.ts'

const hash = fc.uint8Array({ minLength: 32, maxLength: 32 })
const text = fc.string({ unit: 'grapheme', maxLength: 40 }).filter((each) => each.isWellFormed())

describe('instructions', () => {
  test('decode to what was encoded', () => {
    const args = fc.record({
      name: text,
      serviceCategory: fc.constantFrom(...SERVICE_CATEGORIES),
      agentCardUrl: text,
      agentCardHash: hash,
    })
    fc.assert(
      fc.property(args, (given) => {
        expect(decodeInstruction(encodeInstruction('register_agent', given))).toEqual({
          name: 'register_agent',
          args: given,
        })
      }),
    )
  })

  test('distinguish present and absent options', () => {
    const option = <Value>(value: fc.Arbitrary<Value>): fc.Arbitrary<Value | null> =>
      fc.option(value, { nil: null })
    const args = fc.record({
      admin: option(hash.map(pubkeyFromBytes)),
      treasury: option(hash.map(pubkeyFromBytes)),
      tierThresholds: option(fc.array(fc.bigInt(0n, 2n ** 64n - 1n), { minLength: 4, maxLength: 4 })),
      cooldownSeconds: option(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n)),
      paused: option(fc.boolean()),
    })
    fc.assert(
      fc.property(args, (given) => {
        expect(decodeInstruction(encodeInstruction('update_config', given))?.args).toEqual(given)
      }),
    )
  })

  test('refuse values that do not fit the type', () => {
    expect(() => encodeInstruction('deposit', { amount: 2n ** 64n })).toThrow(RangeError)
    expect(() => encodeInstruction('deposit', { amount: -1n })).toThrow(RangeError)
    expect(() => encodeInstruction('no_such', {})).toThrow('the IDL does not define no_such')
  })
})

describe('decoding', () => {
  test('copies bytes, so that a reused buffer cannot change a decoded value', () => {
    const data = encodeInstruction('register_agent', {
      name: 'a',
      serviceCategory: 'other',
      agentCardUrl: 'https://a',
      agentCardHash: new Uint8Array(32).fill(7),
    })
    const decoded = decodeInstruction(data)
    data.fill(0)
    expect(decoded?.args.agentCardHash).toEqual(new Uint8Array(32).fill(7))
  })

  test('returns null for unknown discriminators, and throws only for malformed registry data', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 400 }),
        fc.constantFrom(...registryIdl.accounts),
        (bytes, { name, discriminator }) => {
          expect(decodeEvent(bytes)).toBeNull()
          const own = Buffer.concat([Buffer.from(discriminator), bytes])
          expect(outcome(() => decodeAccount(own)?.name)).toBeOneOf([name, 'RangeError', 'TypeError'])
        },
      ),
    )
  })
})

function outcome(work: () => string | undefined): string | undefined {
  try {
    return work()
  } catch (error) {
    return (error as Error).name
  }
}
