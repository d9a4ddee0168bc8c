import {
  compactLength,
  decodeBase58,
  MAX_V1_TRANSACTION_BYTES,
  parseTransaction,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import { verifyEd25519 } from '../domain/ed25519.ts'
import { DomainError } from '../domain/errors.ts'
import type { RpcInstruction, RpcTransaction } from '../ledger/decode/rpc-transaction.ts'
import { decodeBase64 } from './check-request.ts'

/** Longer than what is accepted, so that the reason for refusing version 1 is its version. */
const MAX_TEXT = 4 * Math.ceil(MAX_V1_TRANSACTION_BYTES / 3)
/** The first byte of newer versions is more. Before them, it is the number of signatures. */
const VERSION_0 = 0x80

/** Throws TRANSACTION_VERSION_UNSUPPORTED, and INVALID_SIGNED_TRANSACTION with the reason. */
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

/** Throws INVALID_SIGNATURE for the first wrong signature from position `from` on. */
export function checkSignatures(transaction: WireTransaction, from = 0): void {
  const key = wrongSigner(transaction, from)
  if (key !== null) throw new DomainError('INVALID_SIGNATURE', { key })
}

/** The first signer from position `from` on whose signature is wrong. */
export function wrongSigner({ signatures, message, messageBytes }: WireTransaction, from = 0): string | null {
  const { staticKeys } = message
  const wrong = signatures.findIndex((signature, i) => {
    const key = staticKeys[i]
    return i >= from && (key === undefined || !verifyEd25519(messageBytes, bytesOf(signature), key))
  })
  return wrong < 0 ? null : (staticKeys[wrong] ?? '')
}

function invalid(message: string): DomainError {
  return new DomainError('INVALID_SIGNED_TRANSACTION', {}, { addition: { message } })
}

/** A v0 transaction from JSON. Null for others, and with lookup tables: a prepared one has none. */
export function wireTransaction({ version, transaction }: RpcTransaction): WireTransaction | null {
  const { signatures, message } = transaction
  const { header, accountKeys, recentBlockhash, instructions, addressTableLookups = [] } = message
  if (version !== 0 || addressTableLookups.length > 0) return null
  if (header === undefined || signatures === undefined || recentBlockhash === undefined) return null
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header
  const parts = [
    compactLength(signatures.length),
    ...signatures.map(bytesOf),
    [VERSION_0, numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts],
    compactLength(accountKeys.length),
    ...[...accountKeys, recentBlockhash].map(bytesOf),
    compactLength(instructions.length),
    ...instructions.flatMap(instructionParts),
    compactLength(0),
  ]
  try {
    return parseTransaction(Buffer.concat(parts.map((each) => Uint8Array.from(each))))
  } catch (error) {
    if (error instanceof WireError) return null
    throw error
  }
}

function instructionParts({ programIdIndex, accounts, data }: RpcInstruction): Iterable<number>[] {
  const bytes = bytesOf(data)
  return [[programIdIndex], compactLength(accounts.length), accounts, compactLength(bytes.length), bytes]
}

/** Text that is not base-58 becomes no bytes: then the signature does not match. */
const bytesOf = (text: string): Uint8Array => decodeBase58(text) ?? new Uint8Array()
