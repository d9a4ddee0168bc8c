import { setTimeout as delay } from 'node:timers/promises'
import type { Orm } from '../db/orm.ts'
import type { Database } from '../db/tables.ts'
import type { DeadLetterRow } from '../ledger/indexer/batch.ts'
import { listAccounts } from '../ledger/indexer/list-accounts.ts'
import { retryingRpc } from '../ledger/retrying-rpc.ts'
import type { LedgerRpc } from '../ledger/rpc.ts'
import { compareAccounts } from './accounts.ts'
import { compareCounts } from './counts.ts'
import { compareTransactions, listTransactions, newTally } from './transactions.ts'

/** One field, or one whole row (`field` is `*`), that the ledger and the tables do not agree on. */
export interface Difference {
  table: string
  /** The account's address, the event's id or the transaction's signature. */
  pda: string
  field: string
  /** Undefined where that side has no such row. */
  ledger: unknown
  database: unknown
}

export interface AuditReport {
  accounts: number
  transactions: number
  events: number
  differences: Difference[]
  /** What the ledger no longer tells, such as events behind cut logs: in the dead letters, and in no table. */
  unreadable: Pick<DeadLetterRow, 'kind' | 'signature' | 'reason'>[]
}

export interface AuditOptions {
  orm: Orm
  rpc: LedgerRpc
  programId: string
  commitment?: 'confirmed' | 'finalized'
  batchSize?: number
  /** A difference counts only when it lasts this long: the indexer may be about to write it. */
  settleMs?: number
  signal?: AbortSignal
  onProgress?: (progress: { stage: 'accounts' | 'transactions'; done: number; total: number }) => void
}

export interface AuditContext extends AuditOptions {
  commitment: 'confirmed' | 'finalized'
  batchSize: number
  signal: AbortSignal
}

const RECHECK_MS = 250

/** Compares every account and every event on the ledger with the tables, field by field. Works beside a live indexer. */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const signal = options.signal ?? new AbortController().signal
  const context: AuditContext = {
    commitment: 'confirmed',
    batchSize: 100,
    ...options,
    signal,
    rpc: retryingRpc(options.rpc, { signal, maxAttempts: 12 }),
  }
  const accounts = await listAccounts(context.rpc, options.orm.em.fork().getKysely<Database>(), context)
  const inAccounts = await settled(context, accounts, (pdas) => compareAccounts(context, pdas))
  const transactions = await listTransactions(context)
  const tally = newTally()
  const inTransactions = await settled(context, [...transactions.keys()], (signatures) =>
    compareTransactions(context, transactions, signatures, tally),
  )
  return {
    accounts: accounts.length,
    transactions: transactions.size,
    events: [...tally.events.values()].reduce((sum, count) => sum + count, 0),
    differences: [...inAccounts, ...(await compareCounts(context)), ...inTransactions],
    unreadable: [...tally.unreadable.values()],
  }
}

type Compare = (keys: readonly string[]) => Promise<Map<string, Difference[]>>

/** Compares, then compares what differs again until it agrees or `settleMs` is over. */
async function settled(
  context: AuditContext,
  keys: readonly string[],
  compare: Compare,
): Promise<Difference[]> {
  let differing = await compare(keys)
  const deadline = performance.now() + (context.settleMs ?? 3_000)
  while (differing.size > 0 && performance.now() < deadline) {
    await delay(RECHECK_MS, undefined, { signal: context.signal })
    differing = await compare([...differing.keys()])
  }
  return [...differing.values()].flat()
}
