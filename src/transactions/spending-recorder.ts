import { type Kysely, sql } from 'kysely'
import type { Counter } from 'prom-client'
import type { Database } from '../db/database.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { type BackgroundLoop, createBackgroundLoop } from '../platform/async/background-loop.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'
import type { TransactionsContext } from './context.ts'
import { fetchTransaction } from './ledger-state.ts'

const CLEANUP_MS = 3_600_000
const BATCH = 20

interface FinalSponsorship {
  id: string
  kind: SponsorshipKind
  signature: string
  /** After ten minutes the highest possible cost is recorded: nodes delete old transactions. */
  overdue: boolean
}

interface LandedTransaction {
  meta: { fee: number; preBalances: number[]; postBalances: number[] } | null
}

/** Records what each sponsorship cost, when its transaction is final. Deletes old data. */
export function createSpendingRecorder(context: TransactionsContext, spent: Counter<'kind'>): BackgroundLoop {
  const { kysely, clock, logger, timing } = context
  const failures = createFailureLog(logger, 'recording sponsorship costs failed, will retry')
  let nextCleanup = 0
  return createBackgroundLoop({
    retryMs: timing.finalityPollMs,
    onError: failures.report,
    step: async () => {
      for (const each of await readUnrecorded(kysely)) await recordSpending(each, context, spent)
      if (clock.now() >= nextCleanup) {
        await deleteOldData(kysely)
        nextCleanup = clock.now() + CLEANUP_MS
      }
      failures.clear()
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
  { kysely, rpc }: TransactionsContext,
  counter: Counter<'kind'>,
): Promise<void> {
  const transaction = await fetchTransaction<LandedTransaction>(rpc, signature)
  const meta = transaction?.meta ?? null
  if (meta === null && !overdue) return
  const spent = meta === null ? null : (meta.preBalances[0] ?? 0) - (meta.postBalances[0] ?? 0)
  const rent = meta === null || kind === 'transaction' ? null : Math.max(0, (spent ?? 0) - meta.fee)
  // Only one process writes the row and counts it.
  const { rows } = await sql<{ spent: number }>`
    update sponsorships
    set spent_lamports = coalesce(${spent}::bigint, reserved_lamports),
      rent_lamports = coalesce(${rent}::bigint, rent_lamports), updated_at = clock_timestamp()
    where id = ${id} and spent_lamports is null
    returning spent_lamports as spent`.execute(kysely)
  for (const row of rows) counter.inc({ kind }, Math.max(0, row.spent))
}

/** Client networks are needed for a day, and released sponsorships are not needed. */
async function deleteOldData(kysely: Kysely<Database>): Promise<void> {
  await sql`
    update sponsorships set client_network = null
    where client_network is not null and created_at < now() - interval '2 days'`.execute(kysely)
  await sql`
    delete from sponsorships where state = 'released' and created_at < now() - interval '7 days'`.execute(
    kysely,
  )
}
