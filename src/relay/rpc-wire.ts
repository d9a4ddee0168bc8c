import {
  compactLength,
  decodeBase58,
  parseTransaction,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import type { RpcInstruction, RpcTransaction } from '../ledger/decode/rpc-transaction.ts'

const VERSION_0 = 0x80

/**
 * The bytes of a v0 transaction that a node returned as JSON. Null for another version, or with
 * lookup tables: a prepared transaction has none.
 */
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
