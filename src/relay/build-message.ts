import {
  ComputeBudgetProgram,
  type MessageV0,
  PublicKey,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js'
import type { Pubkey } from '../domain/pubkey.ts'
import { DomainError } from '../errors.ts'
import type { CheckedRequest } from './check-instructions.ts'
import type { Instruction } from './instruction.ts'
import { COMPUTE_BUDGET_PROGRAM } from '../domain/program-ids.ts'
import { RELAY_POLICY } from './policy.ts'

export interface ComputeBudget {
  /** Compute units. */
  readonly limit: number
  /** Micro-lamports per compute unit. */
  readonly price: number
}

const LIMIT_BYTES = 5
const PRICE_BYTES = 9

/** A v0 message of the client's instructions behind the two of the compute budget; the first signer pays. */
export function buildMessage(
  { instructions, signers }: CheckedRequest,
  budget: ComputeBudget,
  blockhash: string,
): MessageV0 {
  return new TransactionMessage({
    payerKey: new PublicKey(signers[0]),
    recentBlockhash: blockhash,
    instructions: [
      ComputeBudgetProgram.setComputeUnitLimit({ units: budget.limit }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: budget.price }),
      ...instructions.map(toWeb3),
    ],
  }).compileToV0Message()
}

/** base64 of the whole transaction, with zeros where the signatures go. */
export function unsignedTransaction(message: MessageV0): string {
  return Buffer.from(new VersionedTransaction(message).serialize()).toString('base64')
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
    vector(signers.length, 64) + // signatures
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

function toWeb3({ programId, keys, data }: Instruction): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(programId),
    keys: keys.map(({ pubkey, ...flags }) => ({ pubkey: new PublicKey(pubkey), ...flags })),
    data: Buffer.from(data),
  })
}
