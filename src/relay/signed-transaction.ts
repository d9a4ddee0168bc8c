import bs58 from 'bs58'
import {
  MAX_V1_TRANSACTION_BYTES,
  parseTransaction,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import { verifyEd25519 } from '../domain/ed25519.ts'
import { DomainError } from '../domain/errors.ts'
import { decodeBase64 } from './check-instructions.ts'

/** Longer than what is accepted, so that the reason for refusing version 1 is its version. */
const MAX_TEXT = 4 * Math.ceil(MAX_V1_TRANSACTION_BYTES / 3)
/** The first byte of newer versions is more. Before them, it is the number of signatures. */
const VERSION_0 = 0x80

/**
 * Reads a client's base64. Throws TRANSACTION_VERSION_UNSUPPORTED, and INVALID_SIGNED_TRANSACTION
 * with the reason in `message`.
 */
export function readSignedTransaction(text: string): WireTransaction {
  if (text.length > MAX_TEXT) throw invalid(`longer than ${MAX_TEXT} characters of base64`)
  const bytes = decodeBase64(text)
  if (bytes === null) throw invalid('not base64 with padding')
  const [first = 0] = bytes
  if (first > VERSION_0)
    throw new DomainError('TRANSACTION_VERSION_UNSUPPORTED', { version: first - VERSION_0 })
  try {
    return parseTransaction(bytes)
  } catch (error) {
    if (error instanceof WireError) throw invalid(error.message)
    throw error
  }
}

/**
 * Checks the signatures from position `from` on. Throws INVALID_SIGNATURE for the first wrong one.
 */
export function checkSignatures(transaction: WireTransaction, from = 0): void {
  for (const [i, signature] of transaction.signatures.entries()) {
    if (i < from) continue
    const key = transaction.message.staticKeys[i]
    if (key === undefined || !verifyEd25519(transaction.messageBytes, bs58.decode(signature), key))
      throw new DomainError('INVALID_SIGNATURE', { key: key ?? '' })
  }
}

function invalid(message: string): DomainError {
  return new DomainError('INVALID_SIGNED_TRANSACTION', {}, { addition: { message } })
}
