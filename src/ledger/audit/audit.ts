import { batchesOf, settleBoth } from '../../platform/async/promises.ts'
import { listAccounts } from '../indexer/fetch/fetch-accounts.ts'
import {
  compareHistory,
  compareTransactions,
  everyTransaction,
  openListedSignatures,
} from './compare-transactions.ts'
import { assertComplete, listSignatures, type SignatureListing } from '../indexer/fetch/signature-listing.ts'
import { retryingRpc } from '../rpc/ledger-rpc.ts'
import {
  compareAccounts,
  compareBatches,
  compareCounts,
  type ComparisonResult,
  findUnmatchedRows,
} from './compare-rows.ts'
import type { AuditContext, AuditOptions, Difference, Unreadable } from './findings.ts'

export interface AuditReport {
  accounts: number
  transactions: number
  events: number
  differences: Difference[]
  /** Data of the ledger that cannot be read: in the dead letters, and in no other table. */
  unreadable: Unreadable[]
}

const ACCOUNTS_PER_BATCH = 1_000

/**
 * Compares every account and event on the ledger with the tables, field by field. The indexer may
 * run at the same time.
 */
export async function audit(options: AuditOptions): Promise<AuditReport> {
  const { signal } = new AbortController()
  const context: AuditContext = {
    commitment: 'confirmed',
    batchSize: 100,
    inFlight: 6,
    settleMs: 3_000,
    onProgress: () => {},
    ...options,
    signal,
    rpc: retryingRpc(options.rpc, { signal, maxAttempts: 12 }),
  }
  const { programId, commitment } = context
  // The node lists signatures while the accounts are compared.
  const [accounts, listing] = await settleBoth(
    auditAccounts(context),
    listSignatures(context.rpc, { programId, commitment, until: null, minSlot: 0 }),
  )
  const transactions = await auditTransactions(context, listing)
  const found = [...accounts.differences, ...transactions.differences]
  const [[counts, unmatched], history] = await settleBoth(
    settleBoth(compareCounts(context), findUnmatchedRows(context, transactions.differences)),
    compareHistory(context, found),
  )
  return {
    accounts: accounts.items,
    transactions: transactions.items,
    events: transactions.events,
    differences: [...accounts.differences, ...counts, ...transactions.differences, ...unmatched, ...history],
    unreadable: [...accounts.unreadable, ...transactions.unreadable],
  }
}

async function auditAccounts(context: AuditContext): Promise<ComparisonResult> {
  const pdas = await listAccounts(context.rpc, context.orm.em.fork().getKysely(), context)
  return compareBatches(context, {
    batches: batchesOf([pdas], ACCOUNTS_PER_BATCH),
    keyOf: (pda) => pda,
    compare: (batch) => compareAccounts(context, batch),
    onProgress: (done) => context.onProgress({ stage: 'accounts', done, total: pdas.length }),
  })
}

async function auditTransactions(
  context: AuditContext,
  listing: SignatureListing,
): Promise<ComparisonResult> {
  const { orm, batchSize } = context
  assertComplete(listing)
  await using listed = await openListedSignatures(orm)
  // The `await` keeps the session open until the comparison ends.
  return await compareBatches(context, {
    batches: batchesOf(everyTransaction(listing, listed), batchSize),
    keyOf: ({ signature }) => signature,
    compare: (infos) => compareTransactions(context, infos),
    onProgress: (done) =>
      context.onProgress({ stage: 'transactions', done, total: Math.max(done, listing.count) }),
  })
}
