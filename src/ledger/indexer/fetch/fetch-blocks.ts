import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../rpc/rpc-error.ts'

const CONFIG = { rewards: false, maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION }

/** By slot: the signatures of the block in order, null if the node has none, or the error. */
export async function fetchBlockSignatures(
  rpc: LedgerRpc,
  slots: readonly number[],
  commitment: string,
): Promise<Map<number, string[] | null | LedgerRpcError>> {
  if (slots.length === 0) return new Map()
  const config = { ...CONFIG, commitment, transactionDetails: 'signatures' }
  const blocks = await rpc.settle<{ signatures?: string[] } | null>(
    slots.map((slot) => ({ method: 'getBlock', params: [slot, config] })),
  )
  return new Map(
    slots.map((slot, i) => {
      const block = blocks[i]
      return [slot, block instanceof LedgerRpcError ? block : (block?.signatures ?? null)]
    }),
  )
}

/** The parent slot of a block. Null if the node does not serve the block. */
export async function fetchParentSlot(
  rpc: LedgerRpc,
  slot: number,
  commitment: string,
): Promise<number | null> {
  const config = { ...CONFIG, commitment, transactionDetails: 'none' }
  const [block] = await rpc.settle<{ parentSlot: number } | null>([
    { method: 'getBlock', params: [slot, config] },
  ])
  return block === undefined || block instanceof LedgerRpcError ? null : (block?.parentSlot ?? null)
}
