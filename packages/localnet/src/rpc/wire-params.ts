import bs58 from 'bs58'
import {
  MAX_TRANSACTION_BYTES,
  parseTransaction,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import type { Config } from './params.ts'
import { invalidParams } from './rpc-error.ts'

const BASE64_LIMIT = 4 * Math.ceil(MAX_TRANSACTION_BYTES / 3)
// What 1,232 bytes take in base-58 at most.
const BASE58_LIMIT = 1683

/** Decodes the transaction of sendTransaction and simulateTransaction: base-58 unless `encoding` says base64. */
export function transactionParam(text: string, config: Config): WireTransaction {
  const encoding = config.choice('encoding', ['base58', 'base64', 'binary']) ?? 'base58'
  const bytes = encoding === 'base64' ? fromBase64(text) : fromBase58(text)
  return parsed('solana_transaction::versioned::VersionedTransaction', () => parseTransaction(bytes))
}

/** Runs a parser of wire bytes; what it refuses is an invalid parameter. */
export function parsed<T>(type: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof WireError) throw invalidParams(`failed to deserialize ${type}: ${error.message}`)
    throw error
  }
}

export function fromBase64(text: string): Uint8Array {
  if (text.length > BASE64_LIMIT) {
    throw invalidParams(
      `base64 encoded solana_transaction::versioned::VersionedTransaction too large: ${text.length} bytes (max: encoded/raw ${BASE64_LIMIT}/${MAX_TRANSACTION_BYTES})`,
    )
  }
  const bytes = Buffer.from(text, 'base64')
  if (bytes.toString('base64') !== text) throw invalidParams('invalid base64 encoding')
  return bytes
}

function fromBase58(text: string): Uint8Array {
  if (text.length > BASE58_LIMIT) {
    throw invalidParams(
      `base58 encoded solana_transaction::versioned::VersionedTransaction too large: ${text.length} bytes (max: encoded/raw ${BASE58_LIMIT}/${MAX_TRANSACTION_BYTES})`,
    )
  }
  const bytes = bs58.decodeUnsafe(text)
  if (bytes === undefined) throw invalidParams('invalid base58 encoding')
  return bytes
}
