import {
  MAX_TRANSACTION_VERSION,
  parseTransaction,
  WireError,
  type WireTransaction,
} from '@agent-registry/solana'
import type { LedgerCalls } from '../../ledger/rpc/ledger-rpc.ts'
import { LedgerRpcError, VERSION_NOT_SUPPORTED } from '../../ledger/rpc/rpc-error.ts'

/**
 * A transaction of the ledger. `unreadable`: it has a newer version than can be read.
 * `missing`: no node returns it.
 */
export async function fetchTransaction(
  rpc: LedgerCalls,
  signature: string,
): Promise<WireTransaction | 'unreadable' | 'missing'> {
  const config = {
    encoding: 'base64',
    commitment: 'confirmed',
    maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION,
  }
  try {
    const found = await rpc.call<{ transaction: [string, string] } | null>('getTransaction', [
      signature,
      config,
    ])
    return found === null ? 'missing' : parseTransaction(Buffer.from(found.transaction[0], 'base64'))
  } catch (error) {
    if (error instanceof WireError) return 'unreadable'
    if (error instanceof LedgerRpcError && error.code === VERSION_NOT_SUPPORTED) return 'unreadable'
    throw error
  }
}
