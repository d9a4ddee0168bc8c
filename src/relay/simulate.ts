import type { LedgerCalls } from '../service-info/ledger-probe.ts'

/** How a transaction would run now. `units`: compute units. */
export interface Simulation {
  /** As the ledger says it; null for success. */
  readonly err: unknown
  readonly logs: readonly string[]
  readonly units: number
}

/** Runs a transaction at `confirmed` without its signatures. Throws LedgerRpcError where the node does not answer. */
export async function simulateUnsigned(rpc: LedgerCalls, transaction: string): Promise<Simulation> {
  const { value } = await rpc.call<{
    value: { err: unknown; logs: string[] | null; unitsConsumed?: number }
  }>('simulateTransaction', [
    transaction,
    { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: false, commitment: 'confirmed' },
  ])
  return { err: value.err, logs: value.logs ?? [], units: value.unitsConsumed ?? 0 }
}
