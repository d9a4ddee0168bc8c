import { sql } from 'kysely'
import type { IndexerContext } from '../context.ts'
import type { IndexerEngine } from '../engine.ts'
import { checkBlocks, orphanTransactions } from './forks.ts'
import { chunksOf } from '../../../platform/async/promises.ts'
import type { SignatureInfo } from '../../decode/rpc-transaction.ts'
import { isUpToDate, listSignatures, loadTransactions } from '../fetch/signature-listing.ts'
import { FINALITY_OVERLAP_SLOTS } from '../position.ts'
import { markFinalized, type TransactionInSlot } from '../write/write-events.ts'
import { fillHistoryGaps, retryTransactions } from './retries.ts'

/**
 * How often dead letters are retried: the node may find the data again, or there is another node.
 * However often an operator asks, the nodes get no more requests than these.
 */
const RETRY_MS = 60_000
const REQUESTED_RETRY_MS = 10_000

export type FinalityMonitor = ReturnType<typeof createFinalityMonitor>

/** Checks finality next to the leader's loop, so that the loop never waits for a slow check. */
export function createFinalityMonitor(context: IndexerContext, engine: IndexerEngine) {
  const { status, options } = context
  const { clock, logger, verifyMs = 2_000 } = options
  let running: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  let nextCheckAt = -Infinity
  let nextRetryAt = -Infinity
  let nextRequestedRetryAt = -Infinity

  async function check(): Promise<void> {
    const report = await verifyFinality(engine)
    status.counters.late += report.late
    status.counters.finalized += report.finalized
    status.finalizedSlot = engine.position.finalizedSlot
    reportOrphans(context, report.orphaned)
    const { count } = await engine.options
      .db()
      .selectFrom('dead_letters')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    status.deadLetters = count
    if (count > 0) await retryDeadLetters()
    logger.debug(report, 'finality checked')
  }

  async function retryDeadLetters(): Promise<void> {
    const now = clock.now()
    const which = { all: now >= nextRetryAt, requested: now >= nextRequestedRetryAt }
    if (which.all) nextRetryAt = now + RETRY_MS
    if (which.requested) nextRequestedRetryAt = now + REQUESTED_RETRY_MS
    const gaps = await fillHistoryGaps(engine, which)
    if (gaps > 0) logger.info({ gaps }, 'filled gaps in the history')
    await retryTransactions(engine, which)
  }

  return {
    /** Starts a check if one is due. Throws the error of the previous check, once. */
    tick(): void {
      const previous = failure
      failure = undefined
      if (previous !== undefined) throw previous.error
      const startedAt = clock.now()
      if (running !== undefined || startedAt < nextCheckAt) return
      running = check()
        .catch((error: unknown) => {
          failure = { error }
        })
        .finally(() => {
          running = undefined
          // Checks take at most a tenth of the time.
          nextCheckAt = clock.now() + Math.max(verifyMs, 9 * (clock.now() - startedAt))
        })
    },
    /** Resolves when no check is running. */
    idle: async (): Promise<void> => running,
  }
}

export function reportOrphans({ options, status }: IndexerContext, orphaned: number): void {
  status.counters.orphaned += orphaned
  if (orphaned > 0) options.logger.warn({ transactions: orphaned }, 'a fork removed transactions')
}

/** Accounts or transactions per database transaction. The leader's loop waits for at most one. */
const CHUNK_SIZE = 500

interface FinalityReport {
  finalized: number
  orphaned: number
  /** Finalized transactions that the leader's loop had not read. */
  late: number
}

/** Compares what was read since the last check with the finalized ledger. */
export async function verifyFinality(engine: IndexerEngine): Promise<FinalityReport> {
  const { rpc, programId, db } = engine.options
  const report: FinalityReport = { finalized: 0, orphaned: 0, late: 0 }
  const finalizedSlot = await rpc.call<number>('getSlot', [{ commitment: 'finalized' }])
  if (finalizedSlot <= engine.position.finalizedSlot) return report
  const until = engine.position.finalizedSignature
  const listing = await listSignatures(rpc, {
    programId,
    commitment: 'finalized',
    until,
    // After a gap in the history there is no `until`. Then the slot ends the listing.
    minSlot: until === null ? engine.position.finalizedSlot - FINALITY_OVERLAP_SLOTS : 0,
    minContextSlot: finalizedSlot,
  })
  // A node that lags, or has dropped history, cannot be compared with.
  if (until !== null && listing.count > 0 && !listing.complete) return report
  const listed = new Set<string>()
  const failed: TransactionInSlot[] = []
  let { finalizedSignature } = engine.position
  for await (const page of listing.oldestFirst()) {
    const below = page.filter((info) => info.slot < finalizedSlot - FINALITY_OVERLAP_SLOTS)
    finalizedSignature = below.at(-1)?.signature ?? finalizedSignature
    const compared = comparePage(page, await loadTransactions(db(), page))
    for (const { signature } of [...compared.listed, ...compared.failed]) listed.add(signature)
    failed.push(...compared.failed)
    const { late, confirmed } = compared
    if (late.length > 0) await engine.ingest([late])
    // Late ones too: the leader's loop may have written one as confirmed in the meantime.
    const final = [...late, ...confirmed]
    await storeFinalized(engine, final)
    const written = [...(await loadTransactions(db(), final)).values()]
    // The leader's loop wrote it again, as it was before a fork. The next check compares it again.
    if (written.some((row) => row.finality !== 'finalized')) return report
    report.late += late.length
    report.finalized += confirmed.length
  }
  const { rows: confirmed } = await sql<{ signature: string; slot: number }>`
    select signature, slot from ledger_transactions
    where finality = 'confirmed' and slot <= ${finalizedSlot}`.execute(db())
  // Not in this listing: below its end, missing in the nodes' indexes, or removed by a fork.
  const unlisted = confirmed.filter((row) => !listed.has(row.signature))
  const { included, removed } = await checkBlocks(rpc, unlisted, 'finalized')
  await storeFinalized(engine, included)
  report.finalized += included.length
  const orphaned = [...failed, ...removed]
  if (orphaned.length > 0) await orphanTransactions(engine, orphaned)
  report.orphaned = orphaned.length
  await refreshFinalizedAccounts(engine, finalizedSlot)
  await engine.store(
    async () => {},
    (position) => ({ ...position, finalizedSlot, finalizedSignature }),
  )
  return report
}

interface ComparedPage {
  /** The successful ones. */
  listed: SignatureInfo[]
  /** The rows of those that succeeded on the fork that was read. */
  failed: TransactionInSlot[]
  /** Those that the tables do not contain, or contain at another position. */
  late: SignatureInfo[]
  /** Those that the tables contain as not final. */
  confirmed: SignatureInfo[]
}

/** Compares finalized transactions with their stored rows. */
function comparePage(
  page: readonly SignatureInfo[],
  stored: Awaited<ReturnType<typeof loadTransactions>>,
): ComparedPage {
  const compared: ComparedPage = { listed: [], failed: [], late: [], confirmed: [] }
  for (const info of page) {
    const row = stored.get(info.signature)
    if (info.err !== null) {
      if (row?.finality === 'confirmed') compared.failed.push(row)
      continue
    }
    compared.listed.push(info)
    if (!isUpToDate(row, info)) compared.late.push({ ...info, confirmationStatus: 'finalized' })
    else if (row?.finality === 'confirmed') compared.confirmed.push(info)
  }
  return compared
}

async function storeFinalized(
  engine: IndexerEngine,
  transactions: readonly TransactionInSlot[],
): Promise<void> {
  for (const chunk of chunksOf(transactions, CHUNK_SIZE)) await engine.store((tx) => markFinalized(tx, chunk))
}

/** Reads the accounts again that were read before their slot was final. */
async function refreshFinalizedAccounts(engine: IndexerEngine, finalizedSlot: number): Promise<void> {
  for (;;) {
    const pdas = engine.nonFinalAccounts.readUpTo(finalizedSlot, CHUNK_SIZE)
    if (pdas.length === 0) return
    await engine.refreshAccounts(pdas, { commitment: 'finalized', minContextSlot: finalizedSlot })
    engine.nonFinalAccounts.remove(pdas, finalizedSlot)
  }
}
