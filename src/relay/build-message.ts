import {
  compileMessage,
  COMPUTE_BUDGET_PROGRAM,
  type NamedInstruction,
  type Pubkey,
} from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { CheckedRequest } from './check-instructions.ts'
import { RELAY_POLICY } from './policy.ts'

export interface ComputeBudget {
  /** Compute units. */
  readonly limit: number
  /** Micro-lamports per compute unit. */
  readonly price: number
}

const SET_LIMIT = 2
const LIMIT_BYTES = 5
const SET_PRICE = 3
const PRICE_BYTES = 9
const SIGNATURE_BYTES = 64

/** A v0 message: two compute-budget instructions, then the client's. The first signer pays. */
export function buildMessage(
  { instructions, signers }: CheckedRequest,
  { limit, price }: ComputeBudget,
  blockhash: string,
): Uint8Array {
  return compileMessage(signers[0], [setLimit(limit), setPrice(price), ...instructions], blockhash)
}

function setLimit(units: number): NamedInstruction {
  const data = Buffer.alloc(LIMIT_BYTES, SET_LIMIT)
  data.writeUInt32LE(units, 1)
  return { programId: COMPUTE_BUDGET_PROGRAM, keys: [], data }
}

function setPrice(microLamports: number): NamedInstruction {
  const data = Buffer.alloc(PRICE_BYTES, SET_PRICE)
  data.writeBigUInt64LE(BigInt(microLamports), 1)
  return { programId: COMPUTE_BUDGET_PROGRAM, keys: [], data }
}

/** base64 of the transaction. Its signatures are zeros. */
export function unsignedTransaction(message: Uint8Array): string {
  const count = message[1] ?? 0
  const signatures = Buffer.alloc(1 + count * SIGNATURE_BYTES)
  signatures[0] = count
  return Buffer.concat([signatures, message]).toString('base64')
}

/** Throws TRANSACTION_TOO_LARGE. Computes the size first, as the message compiler does not report it. */
export function checkSize({ instructions, signers }: CheckedRequest): void {
  const keys = new Set<Pubkey>([...signers, COMPUTE_BUDGET_PROGRAM])
  for (const { programId, keys: accounts } of instructions) {
    keys.add(programId)
    for (const { pubkey } of accounts) keys.add(pubkey)
  }
  const budgetSizes = [LIMIT_BYTES, PRICE_BYTES].map((data) => 1 + listSize(0) + listSize(data))
  const clientSizes = instructions.map(({ keys, data }) => 1 + listSize(keys.length) + listSize(data.length))
  const instructionSizes = [...budgetSizes, ...clientSizes]
  const size =
    listSize(signers.length, SIGNATURE_BYTES) +
    4 + // version and header
    listSize(keys.size, 32) +
    32 + // blockhash
    listSize(instructionSizes.length, 0) +
    instructionSizes.reduce((sum, each) => sum + each, 0) +
    1 // no lookup tables
  const max = RELAY_POLICY.maxTransactionBytes
  if (size > max) throw new DomainError('TRANSACTION_TOO_LARGE', { size, max })
}

/** Bytes of a list with its length as compact-u16. */
function listSize(length: number, itemBytes = 1): number {
  let lengthBytes = 1
  if (length >= 0x80) lengthBytes = 2
  if (length >= 0x4000) lengthBytes = 3
  return lengthBytes + length * itemBytes
}
