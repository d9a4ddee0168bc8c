import bs58 from 'bs58'

declare const brand: unique symbol

/** A Solana public key: base-58 text of exactly 32 bytes. */
export type Pubkey = string & { readonly [brand]: 'Pubkey' }

const BASE58_OF_32_BYTES = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

export function isPubkey(value: unknown): value is Pubkey {
  if (typeof value !== 'string' || !BASE58_OF_32_BYTES.test(value)) return false
  return bs58.decodeUnsafe(value)?.length === 32
}

/** Coerces, for values that our own code made. Client input goes through a service that names the parameter. */
export function pubkey(value: string): Pubkey {
  if (!isPubkey(value)) throw new TypeError(`not a base-58 public key of 32 bytes: ${JSON.stringify(value)}`)
  return value
}

export function pubkeyFromBytes(bytes: Uint8Array): Pubkey {
  if (bytes.length !== 32) throw new TypeError(`a public key has 32 bytes, got ${bytes.length}`)
  return bs58.encode(bytes) as Pubkey
}

export function pubkeyBytes(key: Pubkey): Uint8Array {
  return bs58.decode(key)
}
