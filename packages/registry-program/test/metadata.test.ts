import * as fc from '../../../test/support/property.ts'
import { describe, expect, it } from 'vitest'
import { registryInstruction } from '../src/instructions.ts'
import { REGISTRATION, registered } from './support/actors.ts'
import { type Args, Bench } from './support/bench.ts'

const bench = Bench.initialized()
const { accounts } = registered(bench)
const update = (args: Args): string | null => bench.error('update_agent', accounts, args)
const card = (agentCardUrl: string): Args => ({ agentCardUrl, agentCardHash: REGISTRATION.agentCardHash })

/** Replaces the bytes of the text `old` in the instruction. The length must be the same. */
function updateWithName(name: Uint8Array): string | null {
  const placeholder = 'n'.repeat(name.length)
  const instruction = registryInstruction(bench.vm.programId, 'update_agent', accounts, { name: placeholder })
  instruction.data.set(name, instruction.data.indexOf(placeholder))
  return bench.send(instruction).error
}

function isClean(bytes: Uint8Array): boolean {
  try {
    return !/\p{Cc}/u.test(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return false
  }
}

describe('names', () => {
  it.each(['a', 'x'.repeat(32), '🙂'.repeat(8), 'Zoë', '\u00a0', '\u0800', '\ud7ff', '\ue000', '\u{10ffff}'])(
    'takes %j',
    (name) => {
      expect(update({ name })).toBeNull()
    },
  )

  it.each(['', 'x'.repeat(33), '🙂'.repeat(8) + 'x', 'a\0', '\n', '\x1f', '\x7f', '\u0080', '\u009f'])(
    'refuses %j',
    (name) => {
      expect(update({ name })).toBe('InvalidName')
    },
  )

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash in two bytes', [0xc0, 0xaf]],
    ['an overlong letter in two bytes', [0xc1, 0x81]],
    ['an overlong form in three bytes', [0xe0, 0x9f, 0xbf]],
    ['an overlong form in four bytes', [0xf0, 0x8f, 0xbf, 0xbf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['a number above U+10FFFF', [0xf4, 0x90, 0x80, 0x80]],
    ['a byte that starts nothing', [0xf5, 0x80, 0x80, 0x80]],
    ['a sequence cut off', [0x61, 0xe2, 0x82]],
    ['a sequence interrupted', [0xe2, 0x82, 0x61]],
  ])('refuses %s', (_, bytes) => {
    expect(updateWithName(Uint8Array.from(bytes))).toBe('InvalidName')
  })

  it('agrees with a strict decoder on any bytes', () => {
    const interesting = fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(0xc2, 0xe0, 0xed, 0xf0, 0xf4, 0x80, 0x9f, 0xa0, 0xbf),
    )
    const bytes = fc.oneof(
      fc.uint8Array({ minLength: 1, maxLength: 32 }),
      fc.array(interesting, { minLength: 1, maxLength: 4 }).map((each) => Uint8Array.from(each)),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }).map((text) => Buffer.from(text)),
    )
    fc.assert(
      fc.property(bytes, (name) => {
        expect(updateWithName(name)).toBe(isClean(name) ? null : 'InvalidName')
      }),
      { numRuns: 400 },
    )
  })
})

describe('the other fields', () => {
  it.each(['', '1.0.0', 'v'.repeat(16)])('accepts the version %j', (version) => {
    expect(update({ version })).toBeNull()
  })

  it.each(['v'.repeat(17), '1\r'])('refuses the version %j', (version) => {
    expect(update({ version })).toBe('InvalidVersion')
  })

  it.each(['https://a', 'ipfs://bafy', 'ar://x', 'did:sol:x', `https://${'x'.repeat(192)}`])(
    'takes the URL %j',
    (url) => {
      expect(update(card(url))).toBeNull()
    },
  )

  it.each([
    '',
    'https://',
    'http://a.example',
    'HTTPS://a.example',
    'ftp://a',
    'ipfs:',
    'did:',
    'ar:/x',
    'javascript:alert(1)',
    'https://a\n',
    `https://${'x'.repeat(193)}`,
  ])('refuses the URL %j', (url) => {
    expect(update(card(url))).toBe('InvalidCardUrl')
  })

  it('requires a card hash, a known category, and capabilities of six bits', () => {
    expect(update({ ...card('https://a'), agentCardHash: new Uint8Array(32) })).toBe('InvalidCardHash')
    expect(update({ capabilities: 63n })).toBeNull()
    for (const capabilities of [64n, 2n ** 63n]) expect(update({ capabilities })).toBe('InvalidCapabilities')
    const instruction = bench.instruction('update_agent', accounts, { serviceCategory: 'other' })
    instruction.data.writeUInt8(9, 10)
    expect(bench.send(instruction).error).toBe('InvalidCategory')
  })

  it('has the same rules at registration', () => {
    const fresh = bench.actor().accounts
    const attempt = (args: Args) => bench.error('register_agent', fresh, { ...REGISTRATION, ...args })
    expect(attempt({ name: '' })).toBe('InvalidName')
    expect(attempt({ agentCardUrl: 'http://a' })).toBe('InvalidCardUrl')
    expect(attempt({ agentCardHash: new Uint8Array(32) })).toBe('InvalidCardHash')
    const instruction = bench.instruction('register_agent', fresh, REGISTRATION)
    instruction.data.writeUInt8(9, 8 + 4 + REGISTRATION.name.length)
    expect(bench.send(instruction).error).toBe('InvalidCategory')
    instruction.data.writeUInt32LE(0xffff_ffff, 8)
    expect(bench.send(instruction).error).toBe('InvalidInstruction')
  })
})
