import { type Kysely, sql } from 'kysely'
import PQueue from 'p-queue'
import { parseTransaction, type WireTransaction } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { LedgerRpcError } from '../ledger/rpc/rpc-error.ts'
import { type BackgroundLoop, createBackgroundLoop } from '../platform/async/background-loop.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import type { TransactionsContext } from './context.ts'
import { explainFailure } from './explain-failure.ts'
import { fetchStatuses, type LedgerStatus, MAX_STATUSES } from './fetch-statuses.ts'
import { fetchTransaction, readHead } from './ledger-state.ts'
import { SEARCH_LIMITS } from './limits.ts'
import { searchLedger } from './search-ledger.ts'
import type { TransactionChange, TransactionRow } from './transaction-store.ts'
import { isExpired, onLedgerStatus, onSearchResult, onSendOutcome, type SendOutcome } from './transitions.ts'

const CONCURRENT_ROWS = 8

/** Follows every submitted transaction until it is settled. Each process can run one. */
export function createTracker(context: TransactionsContext): BackgroundLoop {
  const { store, logger, timing } = context
  return createBackgroundLoop({
    retryMs: timing.idlePollMs,
    failures: createFailureLog(logger, 'tracking transactions failed, will retry'),
    step: async (signal) => {
      while ((await processDueRows(context)) === MAX_STATUSES && !signal.aborted);
      const { submitted } = await store.countOpen()
      return submitted > 0 ? Math.min(timing.pollMs / 2, timing.idlePollMs) : timing.idlePollMs
    },
  })
}

/** Fetches the statuses of the rows that are due. Returns the number of rows. */
async function processDueRows(context: TransactionsContext): Promise<number> {
  const { clock, store, timing } = context
  const now = clock.now()
  const rows = await store.claim({ now, until: now + timing.leaseMs, limit: MAX_STATUSES })
  if (rows.length === 0) return 0
  try {
    const statuses = await fetchStatuses(rows, context)
    // The wallet may have sent another version of the transaction than the one submitted here.
    const expired = rows.filter((row) => !row.sponsored && isExpired(row, statuses.get(row.id)))
    const others = rows.filter((row) => !expired.includes(row))
    const queue = new PQueue({ concurrency: CONCURRENT_ROWS })
    await queue.addAll(others.map((row) => () => processRow(row, statuses.get(row.id), context)))
    await settleExpired(expired, context)
  } catch (error) {
    // No node responds: nothing changes, and the rows are due again soon.
    const due = new Date(clock.now() + timing.finalityPollMs).toISOString()
    await Promise.all(rows.map((row) => store.update(row, { nextCheckAt: due })))
    throw error
  }
  return rows.length
}

async function processRow(
  row: TransactionRow,
  ledgerStatus: LedgerStatus | undefined,
  context: TransactionsContext,
): Promise<void> {
  const { clock, store, updates, timing } = context
  const change = ledgerStatus === undefined ? {} : onLedgerStatus(row, ledgerStatus)
  const status = change.status ?? row.status
  const canLand = ledgerStatus?.kind === 'absent' && !ledgerStatus.expired
  const isResendDue = row.sentAt === null || clock.now() - Date.parse(row.sentAt) >= timing.resendMs
  if (canLand && status === 'submitted' && isResendDue) return sendStored(row, context, change)
  const waitMs = status === 'submitted' ? timing.pollMs : timing.finalityPollMs
  await store.update(row, { ...change, nextCheckAt: new Date(clock.now() + waitMs).toISOString() })
  updates.notify(row.id)
}

const PREFLIGHT_FAILURE = -32_002

/** Sends a stored transaction and stores the outcome, together with `change`. */
export async function sendStored(
  row: TransactionRow,
  context: TransactionsContext,
  change: TransactionChange = {},
): Promise<void> {
  const { clock, store, updates, timing } = context
  const outcome = await send(row, context)
  const now = clock.now()
  await store.update(row, {
    ...change,
    ...onSendOutcome(row, outcome, new Date(now).toISOString()),
    nextCheckAt: new Date(now + timing.pollMs).toISOString(),
  })
  updates.notify(row.id)
}

async function send(
  { signedTx: stored, accepted }: TransactionRow,
  context: TransactionsContext,
): Promise<SendOutcome> {
  const signedTx = stored ?? ''
  const transaction = parseTransaction(Buffer.from(signedTx, 'base64'))
  const config = {
    encoding: 'base64',
    // Equal to the blockhash's commitment. The default, finalized, would not know the blockhash.
    preflightCommitment: 'confirmed',
    skipPreflight: accepted,
    maxRetries: 0,
  }
  try {
    await context.rpc.call('sendTransaction', [signedTx, config])
    return { kind: 'accepted' }
  } catch (error) {
    if (!(error instanceof LedgerRpcError)) throw error
    const isPreflight = error.kind === 'rpc' && error.code === PREFLIGHT_FAILURE
    return isPreflight ? await preflightOutcome(error, transaction, context) : { kind: 'unknown' }
  }
}

async function preflightOutcome(
  { data }: LedgerRpcError,
  transaction: WireTransaction,
  context: TransactionsContext,
): Promise<SendOutcome> {
  const { err, logs } = (data ?? {}) as { err?: unknown; logs?: string[] | null }
  if (err === 'AlreadyProcessed') return { kind: 'accepted' }
  if (err === 'BlockhashNotFound') return { kind: 'too_early' }
  if (err === undefined || err === null) return { kind: 'unknown' }
  const failure = { err, logs: logs ?? [] }
  const message = await explainFailure(failure, transaction.messageBytes, context)
  return { kind: 'refused', failure: { code: 'simulation_failed', message, logs: failure.logs } }
}

/** Searches the ledger for expired rows and stores the results. */
export async function settleExpired(rows: readonly TransactionRow[], context: TransactionsContext) {
  if (rows.length === 0) return
  const { clock, store, updates, timing } = context
  const results = await searchLedger(rows, context)
  const now = clock.now()
  for (const row of rows) {
    const waitMs = timing.finalityPollMs * Math.min(2 ** row.misses, SEARCH_LIMITS.maxBackoff)
    const change = onSearchResult(row, results.get(row.id), new Date(now).toISOString())
    await store.update(row, { nextCheckAt: new Date(now + waitMs).toISOString(), ...change })
    updates.notify(row.id)
  }
}

/** Settles rows that expired before they were submitted. The wallet may have sent them itself. */
async function settleUnsubmitted(context: TransactionsContext): Promise<void> {
  const { clock, store, rpc, timing } = context
  const { blockHeight } = await readHead(rpc, 'finalized')
  await store.expireSponsored(blockHeight)
  const { rows: limit, rowsPerPayer: perPayer } = SEARCH_LIMITS
  const now = clock.now()
  const until = now + timing.leaseMs
  await settleExpired(await store.claimExpired({ blockHeight, now, until, limit, perPayer }), context)
}

const CLEANUP_MS = 3_600_000

/** Settles what expired before it was submitted. A long search must not delay the tracker. */
export function createExpiryLoop(context: TransactionsContext): BackgroundLoop {
  const { store, clock, logger, timing } = context
  let nextCleanup = 0
  return createBackgroundLoop({
    retryMs: timing.finalityPollMs,
    failures: createFailureLog(logger, 'the search for expired transactions failed, will retry'),
    step: async () => {
      const { unsubmitted } = await store.countOpen()
      if (unsubmitted > 0) await settleUnsubmitted(context)
      const now = clock.now()
      if (now >= nextCleanup) {
        await store.deleteOld(now)
        nextCleanup = now + CLEANUP_MS
      }
      return timing.finalityPollMs
    },
  })
}

const BATCH = 20

interface FinalSponsorship {
  id: string
  kind: SponsorshipKind
  signature: string
  /** After ten minutes the highest possible cost is recorded: nodes delete old transactions. */
  overdue: boolean
}

/** Records what each sponsorship cost, when its transaction is final. */
export function createSpendingRecorder(context: TransactionsContext): BackgroundLoop {
  const { kysely, logger, timing } = context
  return createBackgroundLoop({
    retryMs: timing.finalityPollMs,
    failures: createFailureLog(logger, 'recording sponsorship costs failed, will retry'),
    step: async () => {
      for (const each of await readUnrecorded(kysely)) await recordSpending(each, context)
      return timing.finalityPollMs
    },
  })
}

async function readUnrecorded(kysely: Kysely<Database>): Promise<FinalSponsorship[]> {
  const { rows } = await sql<FinalSponsorship>`
    select s.id, s.kind, s.signature, s.updated_at < now() - interval '10 minutes' as overdue
    from sponsorships as s join prepared_transactions as p on p.id = s.id
    where s.state in ('confirmed', 'failed') and s.spent_lamports is null and p.settled
    order by s.updated_at limit ${BATCH}`.execute(kysely)
  return rows
}

async function recordSpending(
  { id, kind, signature, overdue }: FinalSponsorship,
  { kysely, rpc, counters }: TransactionsContext,
): Promise<void> {
  const transaction = await fetchTransaction<{
    meta: { fee: number; preBalances: number[]; postBalances: number[] } | null
  }>(rpc, signature)
  const meta = transaction?.meta ?? null
  if (meta === null && !overdue) return
  const spent = meta === null ? null : (meta.preBalances[0] ?? 0) - (meta.postBalances[0] ?? 0)
  const rent = meta === null || kind === 'transaction' ? null : Math.max(0, (spent ?? 0) - meta.fee)
  // One statement, because several processes read the same row, and its cost must count once.
  const { rows } = await sql<{ spent: number }>`
    update sponsorships
    set spent_lamports = coalesce(${spent}::bigint, reserved_lamports),
      rent_lamports = coalesce(${rent}::bigint, rent_lamports), updated_at = clock_timestamp()
    where id = ${id} and spent_lamports is null
    returning spent_lamports as spent`.execute(kysely)
  for (const row of rows) counters.spent.inc({ kind }, Math.max(0, row.spent))
}
