import {
  isStaticWritable,
  parseTransaction as parseWire,
  VERSION_0,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana/wire'
import type { Instruction } from '../program/instruction.ts'

/** A transaction whose message is legacy or v0. */
export interface ParsedTransaction {
  /** 64 bytes for each signer; zeros if it has not signed. */
  readonly signatures: readonly Uint8Array[]
  /** The bytes that signers sign. */
  readonly message: Uint8Array
  /** The keys of the message with their flags. The first one pays the fee. */
  readonly keys: Instruction['keys']
  readonly instructions: readonly Instruction[]
}

/** The bytes are not a transaction that this package can check. */
export class MalformedTransactionError extends Error {
  override readonly name = 'MalformedTransactionError'
}

const SIGNATURE_BYTES = 64

/**
 * Reads a transaction strictly. Throws MalformedTransactionError, also for lookup tables, and for
 * versions after 0, by their number.
 */
export function parseTransaction(bytes: Uint8Array): ParsedTransaction {
  refuseLaterVersion(bytes)
  const { message, messageBytes, signatures } = readWire(bytes)
  const keys = message.staticKeys.map((pubkey, i) => ({
    pubkey,
    isSigner: i < message.requiredSignatures,
    isWritable: isStaticWritable(message, i),
  }))
  const keyAt = (index: number): Instruction['keys'][number] =>
    keys[index] ?? malformed('An instruction uses an unknown key')
  const instructions = message.instructions.map(({ programIdIndex, accounts, data }) => ({
    programId: keyAt(programIdIndex).pubkey,
    keys: Array.from(accounts, keyAt),
    data,
  }))
  if (message.lookups.length > 0) malformed('Transactions with lookup tables are not supported')
  return {
    signatures: signatures.map((_, i) => signatureAt(bytes, i)),
    message: messageBytes,
    keys,
    instructions,
  }
}

/** From version 1 on, the message comes first. Its first byte is its version. */
function refuseLaterVersion(bytes: Uint8Array): void {
  for (const first of [bytes[0] ?? 0, bytes[startOf(bytes[0] ?? 0)] ?? 0])
    if (first > VERSION_0) malformed(`Transaction version ${first - VERSION_0} is not supported`)
}

function readWire(bytes: Uint8Array): WireTransaction {
  try {
    return parseWire(bytes)
  } catch (error) {
    throw error instanceof WireError ? new MalformedTransactionError(error.message) : error
  }
}

function malformed(problem: string): never {
  throw new MalformedTransactionError(problem)
}

const startOf = (index: number): number => 1 + SIGNATURE_BYTES * index

/** The signature at this position, also if it is zeros. */
export function signatureAt(transaction: Uint8Array, index: number): Uint8Array {
  return transaction.subarray(startOf(index), startOf(index + 1))
}

/** The transaction with this signature. Throws if the address is none of its signers. */
export function addSignature(transaction: Uint8Array, address: string, signature: Uint8Array): Uint8Array {
  const { keys } = parseTransaction(transaction)
  const index = keys.findIndex(({ pubkey, isSigner }) => isSigner && pubkey === address)
  if (index < 0) throw new TypeError(`${address} is not a signer of this transaction`)
  if (signature.length !== SIGNATURE_BYTES) throw new TypeError('A signature has 64 bytes')
  const signed = new Uint8Array(transaction)
  signed.set(signature, startOf(index))
  return signed
}
