import type { Pubkey } from '@agent-registry/solana'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'

export interface Simulation {
  /** As the node reports it. Null for success. */
  readonly err: unknown
  readonly logs: readonly string[]
  /** Compute units used. */
  readonly units: number
  /** The requested accounts after the transaction. `data` is base64. */
  readonly accounts: readonly ({ lamports: number; owner: Pubkey; data: [string, string] } | null)[]
  /** Lamports of the message's accounts before the transaction. Empty before Agave 3.0. */
  readonly preBalances: readonly number[]
}

type RawSimulation = { [Name in keyof Simulation]?: Simulation[Name] | null } & { unitsConsumed?: number }

const INVALID_PARAMS = -32_602

/**
 * Runs a transaction at `confirmed` without checking its signatures, and returns the state of
 * `addresses` after it. Throws LedgerRpcError if the node does not respond.
 */
export async function simulate(
  rpc: LedgerCalls,
  transaction: string,
  addresses: readonly string[] = [],
): Promise<Simulation> {
  const config = {
    encoding: 'base64',
    sigVerify: false,
    replaceRecentBlockhash: false,
    commitment: 'confirmed',
    ...(addresses.length > 0 && { accounts: { encoding: 'base64', addresses } }),
  }
  try {
    const { value } = await rpc.call<{ value: RawSimulation }>('simulateTransaction', [transaction, config])
    return {
      err: value.err,
      logs: value.logs ?? [],
      units: value.unitsConsumed ?? 0,
      accounts: value.accounts ?? [],
      preBalances: value.preBalances ?? [],
    }
  } catch (error) {
    // The node refuses a message that no ledger would accept, because of the client's accounts.
    if (error instanceof LedgerRpcError && error.kind === 'rpc' && error.code === INVALID_PARAMS)
      return { err: 'SanitizeFailure', logs: [], units: 0, accounts: [], preBalances: [] }
    throw error
  }
}
