import { setTimeout as delay } from 'node:timers/promises'
import type { RpcTransaction } from '../../decode/transaction.ts'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { LedgerRpcError } from '../../rpc/rpc-error.ts'
import type { DecodedTransactions, SignatureInfo } from '../../decode/rows.ts'
import { decodeTransaction, emptyBatch } from '../../decode/decode-transaction.ts'

/** The newest transaction version that this code reads. */
const MAX_VERSION = 1
/** A node may list a transaction a moment before it can serve it. */
const MISSING_RETRIES = 5
const MISSING_RETRY_MS = 100
const BLOCK_CLEANED_UP = -32001

export interface FetchOptions {
  programId: string
  commitment: string
  signal: AbortSignal
}

type Fetched = RpcTransaction | null | LedgerRpcError

/** Fetches and decodes transactions. One that the node lists and never serves becomes a dead letter once it is final. */
export async function fetchTransactions(
  rpc: LedgerRpc,
  infos: readonly SignatureInfo[],
  options: FetchOptions,
): Promise<DecodedTransactions> {
  const batch = emptyBatch()
  const fetched = await fetchAll(rpc, infos, options)
  const indexes = await transactionIndexes(rpc, infos, fetched, options.commitment)
  for (const info of infos) {
    const transaction = fetched.get(info.signature) ?? null
    if (transaction !== null && !(transaction instanceof LedgerRpcError)) {
      const index = info.transactionIndex ?? transaction.transactionIndex ?? indexes.get(info.signature) ?? 0
      decodeTransaction(batch, info, transaction, index, options.programId)
    } else if (transaction !== null || info.confirmationStatus === 'finalized') {
      const kind = transaction === null ? 'missing_transaction' : 'unreadable_transaction'
      batch.deadLetters.push({
        id: `${kind}/${info.signature}/`,
        kind,
        signature: info.signature,
        pda: null,
        slot: info.slot,
        reason: transaction?.message ?? 'the node lists the transaction and does not serve it',
        data: null,
      })
    }
  }
  return batch
}

async function fetchAll(
  rpc: LedgerRpc,
  infos: readonly SignatureInfo[],
  { commitment, signal }: FetchOptions,
): Promise<Map<string, Fetched>> {
  const fetched = new Map<string, Fetched>()
  let wanted = infos.map((info) => info.signature)
  for (let attempt = 0; wanted.length > 0; attempt += 1) {
    if (attempt > 0) await delay(MISSING_RETRY_MS * attempt, undefined, { signal })
    const config = { encoding: 'json', commitment, maxSupportedTransactionVersion: MAX_VERSION }
    const results = await rpc.settle<RpcTransaction | null>(
      wanted.map((signature) => ({ method: 'getTransaction', params: [signature, config] })),
    )
    wanted.forEach((signature, i) => fetched.set(signature, served(results[i] ?? null)))
    if (attempt === MISSING_RETRIES) break
    wanted = wanted.filter((signature) => fetched.get(signature) === null)
  }
  return fetched
}

/** A node that has lost a transaction's outcome serves nothing that can be read. */
function served(result: Fetched): Fetched {
  return result !== null && !(result instanceof LedgerRpcError) && result.meta === null ? null : result
}

/** The place of each transaction in its block, from the block where the node does not tell it. */
async function transactionIndexes(
  rpc: LedgerRpc,
  infos: readonly SignatureInfo[],
  fetched: ReadonlyMap<string, Fetched>,
  commitment: string,
): Promise<Map<string, number>> {
  const bySlot = new Map<number, string[]>()
  const unsettled = new Set<number>()
  for (const info of infos) {
    const transaction = fetched.get(info.signature) ?? null
    if (transaction === null || transaction instanceof LedgerRpcError) continue
    if ((info.transactionIndex ?? transaction.transactionIndex) !== undefined) continue
    bySlot.set(transaction.slot, [...(bySlot.get(transaction.slot) ?? []), info.signature])
    if (info.confirmationStatus !== 'finalized') unsettled.add(transaction.slot)
  }
  const indexes = new Map<string, number>()
  const blocks = await blockSignatures(rpc, [...bySlot.keys()], unsettled, commitment)
  for (const [slot, signatures] of bySlot) {
    const block = blocks.get(slot)
    // A node that does not serve the block still lists in block order.
    const order = new Map((block ?? signatures).map((signature, i) => [signature, i]))
    for (const signature of signatures) indexes.set(signature, order.get(signature) ?? order.size)
  }
  return indexes
}

/**
 * The signatures of whole blocks in order; null for a block that the node does not serve. While a block of `unsettled`
 * may still change, the refusal is thrown: the next attempt may find the block, or its transactions elsewhere.
 */
async function blockSignatures(
  rpc: LedgerRpc,
  slots: number[],
  unsettled: ReadonlySet<number>,
  commitment: string,
): Promise<Map<number, string[] | null>> {
  if (slots.length === 0) return new Map()
  const config = {
    commitment,
    transactionDetails: 'signatures',
    rewards: false,
    maxSupportedTransactionVersion: MAX_VERSION,
  }
  const results = await rpc.settle<{ signatures?: string[] }>(
    slots.map((slot) => ({ method: 'getBlock', params: [slot, config] })),
  )
  return new Map(
    slots.map((slot, i) => {
      const result = results[i]
      if (result instanceof LedgerRpcError && result.code !== BLOCK_CLEANED_UP && unsettled.has(slot))
        throw result
      return [slot, result instanceof LedgerRpcError ? null : (result?.signatures ?? null)]
    }),
  )
}
