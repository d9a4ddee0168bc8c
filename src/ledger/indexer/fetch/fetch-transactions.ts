import { setTimeout as delay } from 'node:timers/promises'
import { MAX_TRANSACTION_VERSION } from '@agent-registry/solana'
import { decodeTransaction } from '../../decode/decode-transaction.ts'
import { deadLetter, emptyRows, type IndexedRows } from '../../decode/rows.ts'
import { isComplete, type RpcTransaction, type SignatureInfo } from '../../decode/rpc-transaction.ts'
import type { SeenTransaction } from '../context.ts'
import type { LedgerRpc } from '../../rpc/ledger-rpc.ts'
import { LedgerRpcError, VERSION_NOT_SUPPORTED } from '../../rpc/rpc-error.ts'
import { fetchBlocks } from './fetch-accounts.ts'
import { chunksOf } from '../../../platform/async/promises.ts'

/** A node may list a transaction a moment before it serves it. */
const MISSING_RETRIES = 5
const MISSING_RETRY_MS = 100
const BLOCK_CLEANED_UP = -32001
/** A retry does not help. */
const PERMANENT_BLOCK_ERRORS = new Set<number | undefined>([BLOCK_CLEANED_UP, VERSION_NOT_SUPPORTED])
const NOT_SERVED =
  'the node lists the transaction and does not serve it with its outcome and inner instructions'

export interface FetchOptions {
  programId: string
  commitment: string
  signal: AbortSignal
  /** Called for each transaction, before it is written. */
  onSeen?: (slot: number, seen: SeenTransaction) => void
}

/** Null if the node does not serve it. */
type FetchResult = RpcTransaction | null | LedgerRpcError

/**
 * Fetches and decodes transactions. A transaction that the node lists and does not serve completely
 * becomes a dead letter once it is final.
 */
export async function fetchTransactions(
  rpc: LedgerRpc,
  infos: readonly SignatureInfo[],
  options: FetchOptions,
): Promise<IndexedRows> {
  const rows = emptyRows()
  const results = await fetchWithRetries(rpc, infos, options)
  const indexes = await findTransactionIndexes(rpc, infos, results, options.commitment)
  for (const info of infos) {
    const { signature, slot } = info
    const result = results.get(signature) ?? null
    if (isTransaction(result)) {
      const index = info.transactionIndex ?? result.transactionIndex ?? indexes.get(signature) ?? 0
      decodeTransaction(rows, info, result, index, options.programId)
      options.onSeen?.(result.slot, { signature, transaction: result })
    } else if (result !== null || info.confirmationStatus === 'finalized') {
      const kind = result === null ? 'missing_transaction' : 'unreadable_transaction'
      const reason = result?.message ?? NOT_SERVED
      rows.dead_letters.push(deadLetter(kind, `${signature}/`, { signature, slot, reason }))
    }
  }
  return rows
}

const isTransaction = (result: FetchResult): result is RpcTransaction =>
  result !== null && !(result instanceof LedgerRpcError)

async function fetchWithRetries(
  rpc: LedgerRpc,
  infos: readonly SignatureInfo[],
  { commitment, signal }: FetchOptions,
): Promise<Map<string, FetchResult>> {
  const fetched = new Map<string, FetchResult>()
  const config = { encoding: 'json', commitment, maxSupportedTransactionVersion: MAX_TRANSACTION_VERSION }
  let missing = infos.map((info) => info.signature)
  for (let attempt = 0; missing.length > 0 && attempt <= MISSING_RETRIES; attempt += 1) {
    if (attempt > 0) await delay(MISSING_RETRY_MS * attempt, undefined, { signal })
    const results = await rpc.settle<RpcTransaction | null>(
      missing.map((signature) => ({ method: 'getTransaction', params: [signature, config] })),
    )
    for (const [i, signature] of missing.entries()) {
      const result = results[i] ?? null
      fetched.set(signature, isTransaction(result) && !isComplete(result) ? null : result)
    }
    missing = missing.filter((signature) => fetched.get(signature) === null)
  }
  return fetched
}

/**
 * The indexes of transactions in their blocks, if neither the listing nor the transaction has them.
 */
async function findTransactionIndexes(
  rpc: LedgerRpc,
  infos: readonly SignatureInfo[],
  results: ReadonlyMap<string, FetchResult>,
  commitment: string,
): Promise<Map<string, number>> {
  const bySlot = new Map<number, string[]>()
  const nonFinalSlots = new Set<number>()
  for (const info of infos) {
    const transaction = results.get(info.signature) ?? null
    if (!isTransaction(transaction)) continue
    if ((info.transactionIndex ?? transaction.transactionIndex) !== undefined) continue
    bySlot.set(transaction.slot, [...(bySlot.get(transaction.slot) ?? []), info.signature])
    if (info.confirmationStatus !== 'finalized') nonFinalSlots.add(transaction.slot)
  }
  const indexes = new Map<string, number>()
  const blocks = await fetchBlocks(rpc, [...bySlot.keys()], commitment)
  for (const [slot, signatures] of bySlot) {
    const block = blocks.get(slot) ?? null
    const isError = block instanceof LedgerRpcError
    // The block may still change. A retry may find it, or its transactions elsewhere.
    if (isError && !PERMANENT_BLOCK_ERRORS.has(block.code) && nonFinalSlots.has(slot)) throw block
    // A node that does not serve the block still lists its transactions in block order.
    const inOrder = isError ? signatures : (block?.signatures ?? signatures)
    const order = new Map(inOrder.map((signature, i) => [signature, i]))
    for (const signature of signatures) indexes.set(signature, order.get(signature) ?? order.size)
  }
  return indexes
}

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
  return results.flatMap(({ value }, c) =>
    chunks[c]!.flatMap((signature, i) => {
      const status = value[i] ?? null
      return status === null ? [] : [{ signature, slot: status.slot, err: status.err }]
    }),
  )
}
