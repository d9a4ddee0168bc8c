import { compileMessage, COMPUTE_BUDGET_PROGRAM, type Pubkey } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { CheckedRequest } from './check-instructions.ts'
import type { Instruction } from './instruction.ts'
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

/** The bytes of a v0 message of the client's instructions behind the two of the compute budget; the first signer pays. */
export function buildMessage(
  { instructions, signers }: CheckedRequest,
  budget: ComputeBudget,
  blockhash: string,
): Uint8Array {
  return compileMessage(
    signers[0],
    [setLimit(budget.limit), setPrice(budget.price), ...instructions],
    blockhash,
  )
}

function setLimit(units: number): Instruction {
  const data = Buffer.alloc(LIMIT_BYTES, SET_LIMIT)
  data.writeUInt32LE(units, 1)
  return { programId: COMPUTE_BUDGET_PROGRAM, keys: [], data }
}

function setPrice(microLamports: number): Instruction {
  const data = Buffer.alloc(PRICE_BYTES, SET_PRICE)
  data.writeBigUInt64LE(BigInt(microLamports), 1)
  return { programId: COMPUTE_BUDGET_PROGRAM, keys: [], data }
}

/** base64 of the whole transaction, with zeros where the signatures go. */
export function unsignedTransaction(message: Uint8Array): string {
  const signatures = message[1] ?? 0
  const none = Buffer.alloc(1 + signatures * SIGNATURE_BYTES)
  none[0] = signatures
  return Buffer.concat([none, message]).toString('base64')
}

/** Throws TRANSACTION_TOO_LARGE. Known before anything is built, since builders fail without a number. */
export function checkSize({ instructions, signers }: CheckedRequest): void {
  const keys = new Set<Pubkey>([...signers, COMPUTE_BUDGET_PROGRAM])
  for (const { programId, keys: accounts } of instructions) {
    keys.add(programId)
    for (const { pubkey } of accounts) keys.add(pubkey)
  }
  const own = [LIMIT_BYTES, PRICE_BYTES].map((data) => 1 + vector(0) + vector(data))
  const theirs = instructions.map(({ keys, data }) => 1 + vector(keys.length) + vector(data.length))
  const size =
    vector(signers.length, SIGNATURE_BYTES) +
    4 + // version and header
    vector(keys.size, 32) +
    32 + // blockhash
    vector(own.length + theirs.length, 0) +
    [...own, ...theirs].reduce((sum, each) => sum + each, 0) +
    1 // no lookup tables
  const max = RELAY_POLICY.maxTransactionBytes
  if (size > max) throw new DomainError('TRANSACTION_TOO_LARGE', { size, max })
}

/** Bytes of a list with its compact-u16 length. */
function vector(length: number, itemBytes = 1): number {
  return (length < 0x80 ? 1 : length < 0x4000 ? 2 : 3) + length * itemBytes
}
