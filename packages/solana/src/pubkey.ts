import { decodeBase58, encodeBase58 } from './base58.ts'

declare const brand: unique symbol

/** A Solana public key: the base-58 text of exactly 32 bytes. */
export type Pubkey = string & { readonly [brand]: 'Pubkey' }

/** Checked before decoding, which takes quadratic time. */
const OF_32_BYTES = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export function isPubkey(value: unknown): value is Pubkey {
  return typeof value === 'string' && OF_32_BYTES.test(value) && decodeBase58(value)?.length === 32
}

/** For values that our own code created. Client input needs an error that names the parameter. */
export function pubkey(value: string): Pubkey {
  pubkeyBytes(value)
  return value as Pubkey
}

export function pubkeyFromBytes(bytes: Uint8Array): Pubkey {
  if (bytes.length !== 32) throw new TypeError(`a public key has 32 bytes, got ${bytes.length}`)
  return encodeBase58(bytes) as Pubkey
}

/** @throws TypeError if the text is not base-58 of 32 bytes */
export function pubkeyBytes(key: string): Uint8Array<ArrayBuffer> {
  const bytes = OF_32_BYTES.test(key) ? decodeBase58(key) : null
  if (bytes?.length !== 32)
    throw new TypeError(`An address must be base-58 of 32 bytes, got ${JSON.stringify(key)}`)
  return bytes
}
