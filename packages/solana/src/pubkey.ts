import { decodeBase58, encodeBase58 } from './base58.ts'

declare const brand: unique symbol

/** A Solana public key: the base-58 text of exactly 32 bytes. */
export type Pubkey = string & { readonly [brand]: 'Pubkey' }

const BASE58_OF_32_BYTES = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export function isPubkey(value: unknown): value is Pubkey {
  if (typeof value !== 'string' || !BASE58_OF_32_BYTES.test(value)) return false
  return decodeBase58(value)?.length === 32
}

/** For values that our own code created. Client input needs an error that names the parameter. */
export function pubkey(value: string): Pubkey {
  if (!isPubkey(value)) throw new TypeError(`not a base-58 public key of 32 bytes: ${JSON.stringify(value)}`)
  return value
}

export function pubkeyFromBytes(bytes: Uint8Array): Pubkey {
  if (bytes.length !== 32) throw new TypeError(`a public key has 32 bytes, got ${bytes.length}`)
  return encodeBase58(bytes) as Pubkey
}

export function pubkeyBytes(key: Pubkey): Uint8Array {
  const bytes = decodeBase58(key)
  if (bytes === null) throw new TypeError(`not base-58: ${JSON.stringify(key)}`)
  return bytes
}
