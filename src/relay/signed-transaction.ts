import bs58 from 'bs58'
import { parseTransaction, WireError, type WireTransaction } from '@agent-registry/solana'
import { verifyEd25519 } from '../domain/ed25519.ts'
import { DomainError } from '../domain/errors.ts'
import { decodeBase64 } from './check-instructions.ts'
import { RELAY_POLICY } from './policy.ts'

const MAX_TEXT = 4 * Math.ceil(RELAY_POLICY.maxTransactionBytes / 3)
/** The first byte of a version 1 transaction. Its signatures are at the end. */
const VERSION_1 = 0x81

/** Reads a client's base64. Throws INVALID_SIGNED_TRANSACTION with the reason in `message`. */
export function readSignedTransaction(text: string): WireTransaction {
  if (text.length > MAX_TEXT) throw invalid(`longer than ${MAX_TEXT} characters of base64`)
  const bytes = decodeBase64(text)
  if (bytes === null) throw invalid('not base64 with padding')
  if (bytes[0] === VERSION_1) throw invalid('transaction version 1 is not supported')
  try {
    return parseTransaction(bytes)
  } catch (error) {
    if (error instanceof WireError) throw invalid(error.message)
    throw error
  }
}

/** The bytes that are signed. */
export function messageBytes({ bytes, signatures }: WireTransaction): Uint8Array {
  return bytes.subarray(1 + 64 * signatures.length)
}

/**
 * Checks the signatures from position `from` on. Throws INVALID_SIGNATURE for the first wrong one.
 */
export function checkSignatures(transaction: WireTransaction, from = 0): void {
  const message = messageBytes(transaction)
  for (const [i, signature] of transaction.signatures.entries()) {
    if (i < from) continue
    const key = transaction.message.staticKeys[i]
    if (key === undefined || !verifyEd25519(message, bs58.decode(signature), key))
      throw new DomainError('INVALID_SIGNATURE', { key: key ?? '' })
  }
}

function invalid(message: string): DomainError {
  return new DomainError('INVALID_SIGNED_TRANSACTION', {}, { addition: { message } })
}
