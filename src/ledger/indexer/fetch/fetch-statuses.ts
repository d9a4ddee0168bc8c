import { chunksOf } from '../../../platform/async/promises.ts'
import type { SignatureInfo } from '../../decode/rpc-transaction.ts'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'

/** The limit of getSignatureStatuses. */
const MAX_STATUSES = 256

interface Statuses {
  value: ({ slot: number; err: unknown } | null)[]
}

/** The slots and errors of transactions. Omits those that the node does not know. */
export async function fetchStatuses(rpc: LedgerRpc, signatures: readonly string[]): Promise<SignatureInfo[]> {
  if (signatures.length === 0) return []
  const chunks = [...chunksOf(signatures, MAX_STATUSES)]
  const results = await rpc.batch<Statuses>(
    chunks.map((chunk) => ({
      method: 'getSignatureStatuses',
      params: [chunk, { searchTransactionHistory: true }],
    })),
  )
  const statuses = results.flatMap(({ value }, c) => chunks[c]?.map((_, i) => value[i] ?? null) ?? [])
  return signatures.flatMap((signature, i) => {
    const status = statuses[i] ?? null
    return status === null ? [] : [{ signature, slot: status.slot, err: status.err }]
  })
}
