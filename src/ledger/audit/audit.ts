import { assertWhole, listBacklog } from '../indexer/fetch/signature-listing.ts'
import { listAccounts } from '../indexer/list-accounts.ts'
import { batchesOf } from '../indexer/fetch/fetched-batch.ts'
import { retryingRpc } from '../rpc/retrying-rpc.ts'
import { compareAccounts } from './accounts.ts'
import { type Compared, compareAll } from './compare-all.ts'
import { compareCounts } from './counts.ts'
import type { Difference, Unreadable } from './findings.ts'
import { openListedSignatures } from './listed-signatures.ts'
import type { AuditOptions, AuditContext } from './options.ts'
import { findStrays } from './unmatched-rows.ts'
import { compareTransactions, everyTransaction } from './transactions.ts'

export interface AuditReport {
  accounts: number
  transactions: number
  events: number
  differences: Difference[]
  /** What the ledger does not tell in a form that can be read: in the dead letters, and in no other table. */
  unreadable: Unreadable[]
}

const ACCOUNTS_PER_BATCH = 1_000

/** Compares every account and every event on the ledger with the tables, field by field. Works beside a live indexer. */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const signal = options.signal ?? new AbortController().signal
  const context: AuditContext = {
    commitment: 'confirmed',
    batchSize: 100,
    inFlight: 6,
    ...options,
    signal,
    rpc: retryingRpc(options.rpc, { signal, maxAttempts: 12 }),
  }
  const accounts = await auditAccounts(context)
  const transactions = await auditTransactions(context)
  return {
    accounts: accounts.items,
    transactions: transactions.items,
    events: transactions.events,
    differences: [
      ...accounts.differences,
      ...(await compareCounts(context)),
      ...transactions.differences,
      ...(await findStrays(context, transactions.differences)),
    ],
    unreadable: [...accounts.unreadable, ...transactions.unreadable],
  }
}

async function auditAccounts(context: AuditContext): Promise<Compared> {
  const { orm, rpc, onProgress } = context
  const pdas = await listAccounts(rpc, orm.em.fork().getKysely(), context)
  return compareAll(context, {
    batches: batchesOf([pdas], ACCOUNTS_PER_BATCH),
    keyOf: (pda) => pda,
    compare: (some) => compareAccounts(context, some),
    onProgress: (done) => onProgress?.({ stage: 'accounts', done, total: pdas.length }),
  })
}

async function auditTransactions(context: AuditContext): Promise<Compared> {
  const { orm, rpc, programId, commitment, onProgress } = context
  const backlog = await listBacklog(rpc, { programId, commitment, until: null, minSlot: 0 })
  assertWhole(backlog)
  await using listed = await openListedSignatures(orm)
  // Awaited, or the session would end first.
  return await compareAll(context, {
    batches: batchesOf(everyTransaction(backlog, listed), context.batchSize),
    keyOf: ({ signature }) => signature,
    compare: (infos) => compareTransactions(context, infos),
    onProgress: (done) => onProgress?.({ stage: 'transactions', done, total: Math.max(done, backlog.count) }),
  })
}
