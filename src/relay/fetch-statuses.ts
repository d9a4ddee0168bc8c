import { parseTransaction } from '@agent-registry/solana'
import type { TransactionFailure } from '../domain/transaction-status.ts'
import { LedgerRpcError, UncertainResultError } from '../ledger/rpc/rpc-error.ts'
import type { TransactionRow } from './record.ts'
import { programsOf } from './send.ts'
import { transactionErrorText } from './transaction-error-text.ts'
import type { LedgerStatus } from './transitions.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

interface Status {
  slot: number
  err: unknown
  confirmationStatus: 'processed' | 'confirmed' | 'finalized'
}

interface Statuses {
  context: { slot: number }
  value: (Status | null)[]
}

/** As many as a node takes in one getSignatureStatuses. */
export const MAX_STATUSES = 256

/**
 * Looks for submitted transactions, at most 256. Of those about which the node cannot know, since it is behind, nothing is said; nor that one expired
 * while another node that may know it does not answer.
 * Throws LedgerRpcError where it does not answer.
 */
export async function fetchStatuses(
  rpc: LedgerCalls,
  rows: readonly TransactionRow[],
  registryProgram: string,
): Promise<Map<string, LedgerStatus>> {
  const seen = new Map<string, LedgerStatus>()
  const note = async (row: TransactionRow, status: Status): Promise<void> => {
    seen.set(row.id, await sighting(rpc, row, status, registryProgram))
  }
  const recent = await statuses(rpc, rows, false)
  const absent: TransactionRow[] = []
  for (const [i, row] of rows.entries()) {
    const status = recent.value[i]
    if (status === null || status === undefined) absent.push(row)
    else await note(row, status)
  }
  if (absent.length === 0) return seen

  const final = await finalizedHeight(rpc)
  const isExpired = (row: TransactionRow): boolean => row.last_valid_block_height < final.blockHeight
  for (const row of absent) {
    const behind = recent.context.slot < (row.slot ?? 0)
    if (!isExpired(row) && !behind) seen.set(row.id, { kind: 'absent', expired: false })
  }
  const expired = absent.filter(isExpired)
  if (expired.length === 0) return seen
  // All that landed in time is finalized by now, but may be older than what a node keeps at hand.
  const all = await certainStatuses(rpc, expired)
  if (all === null) return seen
  for (const [i, row] of expired.entries()) {
    const status = all.value[i]
    if (status !== null && status !== undefined) await note(row, status)
    else if (all.context.slot >= final.slot) seen.set(row.id, { kind: 'absent', expired: true })
  }
  return seen
}

/** Blocks above this height are not finalized yet. */
export async function finalizedHeight(rpc: LedgerCalls): Promise<{ blockHeight: number; slot: number }> {
  const { blockHeight, absoluteSlot } = await rpc.call<{ blockHeight: number; absoluteSlot: number }>(
    'getEpochInfo',
    [{ commitment: 'finalized' }],
  )
  return { blockHeight, slot: absoluteSlot }
}

function statuses(rpc: LedgerCalls, rows: readonly TransactionRow[], search: boolean): Promise<Statuses> {
  const signatures = rows.map((row) => row.signature)
  return rpc.call('getSignatureStatuses', [signatures, { searchTransactionHistory: search }])
}

/** Null while a node that may know better does not answer. */
async function certainStatuses(rpc: LedgerCalls, rows: readonly TransactionRow[]): Promise<Statuses | null> {
  try {
    return await statuses(rpc, rows, true)
  } catch (error) {
    if (error instanceof UncertainResultError) return null
    throw error
  }
}

async function sighting(
  rpc: LedgerCalls,
  row: TransactionRow,
  { slot, err, confirmationStatus: finality }: Status,
  registryProgram: string,
): Promise<LedgerStatus> {
  if (finality === 'processed') return { kind: 'processed' }
  if (err === null) return { kind: 'landed', slot, finality, failure: null }
  // Its logs were read when it was first seen.
  const known = row.slot === slot ? row.error : null
  const failure = known ?? (await executionFailure(rpc, row, err, registryProgram))
  return { kind: 'landed', slot, finality, failure }
}

async function executionFailure(
  rpc: LedgerCalls,
  row: TransactionRow,
  err: unknown,
  registryProgram: string,
): Promise<TransactionFailure> {
  const { message } = parseTransaction(Buffer.from(row.signed_tx ?? '', 'base64'))
  const text = transactionErrorText(err, programsOf(message), registryProgram)
  const logs = await logsOf(rpc, row.signature ?? '')
  return { code: 'execution_failed', message: text, ...(logs === null ? {} : { logs }) }
}

/** Null where the node does not tell them: the failure is known without. */
async function logsOf(rpc: LedgerCalls, signature: string): Promise<string[] | null> {
  try {
    const found = await rpc.call<{ meta: { logMessages?: string[] | null } | null } | null>(
      'getTransaction',
      [signature, { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 }],
    )
    return found?.meta?.logMessages ?? null
  } catch (error) {
    if (error instanceof LedgerRpcError) return null
    throw error
  }
}
