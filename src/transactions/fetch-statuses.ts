import { parseTransaction } from '@agent-registry/solana'
import type { TransactionFailure } from '../domain/transaction-status.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { UncertainResultError } from '../ledger/rpc/rpc-error.ts'
import type { TransactionsContext } from './context.ts'
import type { TransactionRow } from './transaction-store.ts'
import { transactionErrorText } from './error-text.ts'
import { fetchTransaction, nullIfLedgerError, readHead } from './ledger-state.ts'

/** The status of a submitted transaction on the ledger. */
export type LedgerStatus =
  | {
      readonly kind: 'landed'
      readonly slot: number
      readonly finality: 'confirmed' | 'finalized'
      /** Null if the transaction succeeded. */
      readonly failure: TransactionFailure | null
    }
  /** In a block that a fork may still remove. */
  | { readonly kind: 'processed' }
  /** An up-to-date node does not have the transaction. `expired`: it can no longer land. */
  | { readonly kind: 'absent'; readonly expired: boolean }

interface SignatureStatus {
  slot: number
  err: unknown
  confirmationStatus: 'processed' | 'confirmed' | 'finalized'
}

/** The most that a node accepts in one getSignatureStatuses. */
export const MAX_STATUSES = 256

type Context = Pick<TransactionsContext, 'rpc' | 'registryProgram'>

/**
 * The statuses of up to 256 rows by id. A row has none if the node is too far behind to know, or
 * if another node that may know it does not respond. Throws LedgerRpcError if none responds.
 */
export async function fetchStatuses(rows: readonly TransactionRow[], context: Context) {
  const { rpc } = context
  const statuses = new Map<string, LedgerStatus>()
  const recent = await signatureStatuses(rpc, rows, false)
  const absent: TransactionRow[] = []
  for (const [i, row] of rows.entries()) {
    const status = recent.value[i]
    if (status) statuses.set(row.id, await toLedgerStatus(row, status, context))
    else absent.push(row)
  }
  if (absent.length === 0) return statuses

  const finalized = await readHead(rpc, 'finalized')
  const expired = absent.filter((row) => row.lastValidBlockHeight < finalized.blockHeight)
  for (const row of absent) {
    const isBehind = recent.context.slot < (row.slot ?? 0)
    if (!expired.includes(row) && !isBehind) statuses.set(row.id, { kind: 'absent', expired: false })
  }
  if (expired.length === 0) return statuses
  // What landed in time is finalized now. It can be older than the recent statuses of a node.
  const history = await signatureStatuses(rpc, expired, true).catch(nullIfUncertain)
  if (history === null) return statuses
  for (const [i, row] of expired.entries()) {
    const status = history.value[i]
    if (status) statuses.set(row.id, await toLedgerStatus(row, status, context))
    else if (history.context.slot >= finalized.slot) statuses.set(row.id, { kind: 'absent', expired: true })
  }
  return statuses
}

function signatureStatuses(
  rpc: LedgerCalls,
  rows: readonly TransactionRow[],
  searchTransactionHistory: boolean,
): Promise<{ context: { slot: number }; value: (SignatureStatus | null)[] }> {
  const signatures = rows.map((row) => row.signature)
  return rpc.call('getSignatureStatuses', [signatures, { searchTransactionHistory }])
}

/** Nothing is known while a node that may have one of the transactions does not respond. */
function nullIfUncertain(error: unknown): null {
  if (error instanceof UncertainResultError) return null
  throw error
}

async function toLedgerStatus(
  row: TransactionRow,
  { slot, err, confirmationStatus: finality }: SignatureStatus,
  context: Context,
): Promise<LedgerStatus> {
  if (finality === 'processed') return { kind: 'processed' }
  if (err === null) return { kind: 'landed', slot, finality, failure: null }
  // The row has the failure with its logs if the transaction was seen in this slot before.
  const known = row.slot === slot ? row.error : null
  return { kind: 'landed', slot, finality, failure: known ?? (await executionFailure(row, err, context)) }
}

async function executionFailure(
  { signedTx, signature }: TransactionRow,
  err: unknown,
  { rpc, registryProgram }: Context,
): Promise<TransactionFailure> {
  const { message } = parseTransaction(Buffer.from(signedTx ?? '', 'base64'))
  // Without a node that returns them, the failure has no logs.
  const found = await fetchTransaction<{ meta: { logMessages?: string[] | null } | null }>(
    rpc,
    signature ?? '',
  ).catch(nullIfLedgerError)
  const logs = found?.meta?.logMessages
  const text = transactionErrorText(err, message, registryProgram, logs ?? [])
  return { code: 'execution_failed', message: text, ...(logs && { logs }) }
}
