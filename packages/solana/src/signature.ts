import { decodeBase58 } from './base58.ts'

/** Checked before decoding, which takes quadratic time. */
const BASE58_OF_64_BYTES = /^[1-9A-HJ-NP-Za-km-z]{64,88}$/

/** The 64 bytes of a signature in base-58. Null for any other text. */
export function signatureBytes(text: string): Uint8Array | null {
  const bytes = BASE58_OF_64_BYTES.test(text) ? decodeBase58(text) : null
  return bytes?.length === 64 ? bytes : null
}
