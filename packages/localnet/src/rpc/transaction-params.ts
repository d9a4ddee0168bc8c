import {
  decodeBase58,
  MAX_V1_TRANSACTION_BYTES,
  parseTransaction,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import type { Config } from './params.ts'
import { invalidParams } from './rpc-error.ts'

// The longest texts of 4,096 bytes.
const MAX_TEXT = { base64: 4 * Math.ceil(MAX_V1_TRANSACTION_BYTES / 3), base58: 5594 }

/** Decodes the transaction of sendTransaction and simulateTransaction. The default is base-58. */
export function decodeTransaction(text: string, config: Config): WireTransaction {
  const encoding = config.choice('encoding', ['base58', 'base64', 'binary']) ?? 'base58'
  const bytes = encoding === 'base64' ? fromBase64(text) : fromBase58(text)
  return parsed('solana_transaction::versioned::VersionedTransaction', () => parseTransaction(bytes))
}

/** Runs a parser. Bytes that it refuses are an invalid parameter. */
export function parsed<T>(type: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof WireError) throw invalidParams(`failed to deserialize ${type}: ${error.message}`)
    throw error
  }
}

export function fromBase64(text: string): Uint8Array {
  checkLength(text, 'base64')
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw invalidParams('invalid base64 encoding')
  return bytes
}

function fromBase58(text: string): Uint8Array {
  checkLength(text, 'base58')
  const bytes = decodeBase58(text)
  if (bytes === null) throw invalidParams('invalid base58 encoding')
  return bytes
}

function checkLength(text: string, encoding: keyof typeof MAX_TEXT): void {
  const max = MAX_TEXT[encoding]
  if (text.length <= max) return
  throw invalidParams(
    `${encoding} encoded solana_transaction::versioned::VersionedTransaction too large: ${text.length} bytes (max: encoded/raw ${max}/${MAX_V1_TRANSACTION_BYTES})`,
  )
}
