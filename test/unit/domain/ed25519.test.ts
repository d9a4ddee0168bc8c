import { createHash } from 'node:crypto'
import nacl from 'tweetnacl'
import { describe, expect, test } from 'vitest'
import { pubkeyFromBytes } from '@agent-registry/solana'
import { isSmallOrderKey, verifyEd25519 } from '../../../src/domain/ed25519.ts'
const P = 2n ** 255n - 19n
const hex = (value: bigint) =>
  Uint8Array.from({ length: 32 }, (_, i) => Number((value >> BigInt(8 * i)) & 0xffn))
const pow = (base: bigint, exponent: bigint): bigint =>
  exponent === 0n ? 1n : (pow((base * base) % P, exponent / 2n) * (exponent % 2n === 1n ? base : 1n)) % P
const inverse = (value: bigint) => pow(value, P - 2n)
const D = (P - ((121_665n * inverse(121_666n)) % P)) % P

/** y of the points of order 8: with x² = -y² on the curve, d·y⁴ + 2y² - 1 = 0. */
const ORDER_8 = (() => {
  const root = squareRoot((1n + D) % P)
  return [root, P - root].flatMap((each) => {
    const y = squareRootOrNull((((each - 1n + P) % P) * inverse(D)) % P)
    return y === null ? [] : [y, P - y]
  })
})()
const ENCODINGS = [0n, 1n, P - 1n, P, P + 1n, ...ORDER_8].flatMap((y) => [hex(y), hex(y + 2n ** 255n)])

function squareRootOrNull(value: bigint): bigint | null {
  const root = pow(value, (P + 3n) / 8n)
  const twisted = (root * pow(2n, (P - 1n) / 4n)) % P
  return [root, twisted].find((each) => (each * each) % P === value) ?? null
}
function squareRoot(value: bigint): bigint {
  return squareRootOrNull(value) ?? 0n
}

test('accepts signatures of tweetnacl, and refuses any altered one', () => {
  const { publicKey, secretKey } = nacl.sign.keyPair()
  const message = createHash('sha256').update('message').digest()
  const signature = nacl.sign.detached(message, secretKey)
  const key = pubkeyFromBytes(publicKey)
  expect(verifyEd25519(message, signature, key)).toBe(true)
  for (const at of [0, 31, 32, 63]) {
    const altered = Uint8Array.from(signature)
    altered[at] = altered[at]! ^ 1
    expect(verifyEd25519(message, altered, key)).toBe(false)
  }
  expect(verifyEd25519(Buffer.concat([message, Buffer.from([0])]), signature, key)).toBe(false)
  expect(verifyEd25519(message, signature.subarray(0, 63), key)).toBe(false)
  expect(verifyEd25519(message, new Uint8Array(64), key)).toBe(false)
  // S + L is the same scalar, but not its canonical form.
  const s = number(signature.subarray(32))
  expect(verifyEd25519(message, Buffer.concat([signature.subarray(0, 32), hex(s + L)]), key)).toBe(false)
})

const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
const number = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`)

/** With a key of order 1, R = identity, S = 0 and R = s B, S = s are valid for every message. */
const IDENTITY_AND_ZERO = Uint8Array.from({ length: 64 }, (_, i) => (i === 0 ? 1 : 0))
const ANY_SCALAR = (() => {
  const seed = new Uint8Array(32).fill(7)
  const scalar = createHash('sha512').update(seed).digest().subarray(0, 32)
  scalar[0] = scalar[0]! & 248
  scalar[31] = (scalar[31]! & 127) | 64
  return Buffer.concat([nacl.sign.keyPair.fromSeed(seed).publicKey, hex(number(scalar) % L)])
})()

test('tweetnacl accepts the forged signature', () => {
  const identity = Uint8Array.from({ length: 32 }, (_, i) => (i === 0 ? 1 : 0))
  for (const forged of [IDENTITY_AND_ZERO, ANY_SCALAR])
    expect(nacl.sign.detached.verify(Uint8Array.of(1), Uint8Array.from(forged), identity)).toBe(true)
})

test('a nonce of small order is refused, although its signature is valid for a normal key', () => {
  const seed = new Uint8Array(32).fill(9)
  const { publicKey } = nacl.sign.keyPair.fromSeed(seed)
  const message = Buffer.from('message')
  const nonce = hex(1n)
  const hash = createHash('sha512').update(nonce).update(publicKey).update(message).digest()
  const secret = createHash('sha512').update(seed).digest().subarray(0, 32)
  secret[0] = secret[0]! & 248
  secret[31] = (secret[31]! & 127) | 64
  const signature = Buffer.concat([nonce, hex((number(hash) * number(secret)) % L)])
  expect(nacl.sign.detached.verify(message, Uint8Array.from(signature), publicKey)).toBe(true)
  expect(verifyEd25519(message, signature, pubkeyFromBytes(publicKey))).toBe(false)
})

describe('points of small order', () => {
  test('there are 14 encodings', () => {
    expect(new Set(ENCODINGS.map((each) => Buffer.from(each).toString('hex'))).size).toBe(14)
  })

  test.each(ENCODINGS.map((each) => [Buffer.from(each).toString('hex'), each] as const))('%s', (_, point) => {
    const key = pubkeyFromBytes(point)
    expect(isSmallOrderKey(key)).toBe(true)
    for (const forged of [IDENTITY_AND_ZERO, ANY_SCALAR]) {
      for (let i = 0; i < 16; i += 1) expect(verifyEd25519(Uint8Array.of(i), forged, key)).toBe(false)
    }
  })
})
