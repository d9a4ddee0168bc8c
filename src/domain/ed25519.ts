import { createPublicKey, verify } from 'node:crypto'
import { type Pubkey, pubkeyBytes } from '@agent-registry/solana'

/**
 * The y coordinates of small-order points, including non-canonical encodings. With the sign bit
 * they make 14 points. Anyone can sign for such keys, and Node before 24.19 accepts it.
 */
const SMALL_ORDER: ReadonlySet<string> = new Set([
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
])

export function isSmallOrderKey(key: Pubkey): boolean {
  return isSmallOrder(pubkeyBytes(key))
}

/** `signature`: 64 bytes. Refuses small-order keys and nonces, like the ledger. */
export function verifyEd25519(message: Uint8Array, signature: Uint8Array, key: Pubkey): boolean {
  const bytes = pubkeyBytes(key)
  if (signature.length !== 64) return false
  // Importing a JWK takes a third of the time of DER.
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(bytes).toString('base64url') }
  const verifies = verify(null, message, createPublicKey({ key: jwk, format: 'jwk' }), signature)
  // Checked last, so that every refusal takes the same time.
  return verifies && !isSmallOrder(bytes) && !isSmallOrder(signature.subarray(0, 32))
}

function isSmallOrder(point: Uint8Array): boolean {
  const unsigned = Buffer.from(point)
  unsigned[31] = (unsigned[31] ?? 0) & 0x7f
  return SMALL_ORDER.has(unsigned.toString('hex'))
}
