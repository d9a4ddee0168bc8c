import bs58 from 'bs58'
import { type Pubkey, pubkeyBytes, pubkeyFromBytes } from '@agent-registry/solana'

const SIGNATURE_BYTES = 64
const MAX_KEY_LENGTH = 64
/** Multicodec ed25519-pub, as a varint. */
const ED25519_PREFIX = [0xed, 0x01]

/** Decodes `z` and base-58 of 64 bytes. Callers limit the length: decoding takes quadratic time. */
export function decodeSignature(proofValue: string): Uint8Array | null {
  const bytes = proofValue.startsWith('z') ? bs58.decodeUnsafe(proofValue.slice(1)) : undefined
  return bytes?.length === SIGNATURE_BYTES ? bytes : null
}

/** Decodes the Ed25519 key of a Multikey text, `z6Mk…`. */
export function keyFromMultibase(text: string): Pubkey | null {
  if (!text.startsWith('z') || text.length > MAX_KEY_LENGTH) return null
  const bytes = bs58.decodeUnsafe(text.slice(1))
  const isKey = bytes?.length === 34 && bytes[0] === ED25519_PREFIX[0] && bytes[1] === ED25519_PREFIX[1]
  return isKey ? pubkeyFromBytes(bytes.subarray(2)) : null
}

export function keyToMultibase(key: Pubkey): string {
  return `z${bs58.encode(Uint8Array.from([...ED25519_PREFIX, ...pubkeyBytes(key)]))}`
}
