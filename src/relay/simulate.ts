import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

/** How a transaction would run now. `units`: compute units. */
export interface Simulation {
  /** As the ledger says it; null for success. */
  readonly err: unknown
  readonly logs: readonly string[]
  readonly units: number
}

const INVALID_PARAMS = -32_602

/** Runs a transaction at `confirmed` without its signatures. Throws LedgerRpcError where the node does not answer. */
export async function simulateUnsigned(rpc: LedgerCalls, transaction: string): Promise<Simulation> {
  try {
    const { value } = await rpc.call<{
      value: { err: unknown; logs: string[] | null; unitsConsumed?: number }
    }>('simulateTransaction', [
      transaction,
      { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: false, commitment: 'confirmed' },
    ])
    return { err: value.err, logs: value.logs ?? [], units: value.unitsConsumed ?? 0 }
  } catch (error) {
    // A message that no ledger would take, for the accounts that the client gave.
    if (error instanceof LedgerRpcError && error.kind === 'rpc' && error.code === INVALID_PARAMS)
      return { err: 'SanitizeFailure', logs: [], units: 0 }
    throw error
  }
}
