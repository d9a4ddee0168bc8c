import { ComputeBudgetProgram } from '@solana/web3.js'
import { compileMessage, COMPUTE_BUDGET_PROGRAM } from '@agent-registry/solana'
import { DomainError } from '../domain/errors.ts'
import type { CheckedRequest } from './check-instructions.ts'
import { RELAY_POLICY } from './policy.ts'

export interface ComputeBudget {
  /** Compute units. */
  readonly limit: number
  /** Micro-lamports per compute unit. */
  readonly price: number
}

const SIGNATURE_BYTES = 64
/** 32 zero bytes. */
const NO_BLOCKHASH = '1'.repeat(32)

/** A v0 message: two compute-budget instructions, then the client's. The first signer pays. */
export function buildMessage(
  { instructions, signers }: CheckedRequest,
  { limit, price }: ComputeBudget,
  blockhash: string,
): Uint8Array {
  const budget = [
    ComputeBudgetProgram.setComputeUnitLimit({ units: limit }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: price }),
  ].map(({ data }) => ({ programId: COMPUTE_BUDGET_PROGRAM, keys: [], data }))
  return compileMessage(signers[0], [...budget, ...instructions], blockhash)
}

/** base64 of the transaction. Its signatures are zeros. */
export function unsignedTransaction(message: Uint8Array): string {
  const count = message[1] ?? 0
  const signatures = Buffer.alloc(1 + count * SIGNATURE_BYTES)
  signatures[0] = count
  return Buffer.concat([signatures, message]).toString('base64')
}

/**
 * Throws TRANSACTION_TOO_LARGE. The size does not depend on the blockhash and the compute budget.
 */
export function checkSize(request: CheckedRequest): void {
  const message = buildMessage(request, { limit: 0, price: 0 }, NO_BLOCKHASH)
  const size = 1 + request.signers.length * SIGNATURE_BYTES + message.length
  const max = RELAY_POLICY.maxTransactionBytes
  if (size > max) throw new DomainError('TRANSACTION_TOO_LARGE', { size, max })
}
