import { raw } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import type { Counter } from 'prom-client'
import type { Database } from '../db/database.ts'
import { Sponsorship } from '../db/entities/sponsorship.ts'
import type { EntityManager } from '../db/orm-types.ts'
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
  const { em, kysely, clock, logger, timing } = context
  const failures = createFailureLog(logger, 'recording sponsorship costs failed, will retry')
  let nextCleanup = 0
  return createBackgroundLoop({
    retryMs: timing.finalityPollMs,
    onError: failures.report,
    step: async () => {
      for (const each of await readUnrecorded(kysely)) await recordSpending(each, context, spent)
      if (clock.now() >= nextCleanup) {
        await deleteOldData(em.fork())
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
  // One statement, because several processes read the same row, and its cost must count once.
  const { rows } = await sql<{ spent: number }>`
    update sponsorships
    set spent_lamports = coalesce(${spent}::bigint, reserved_lamports),
      rent_lamports = coalesce(${rent}::bigint, rent_lamports), updated_at = clock_timestamp()
    where id = ${id} and spent_lamports is null
    returning spent_lamports as spent`.execute(kysely)
  for (const row of rows) counter.inc({ kind }, Math.max(0, row.spent))
}

/** Client networks are needed for a day, and released sponsorships are not needed. */
async function deleteOldData(em: EntityManager): Promise<void> {
  const old = (days: number) => ({ $lt: raw(`now() - interval '${days} days'`) })
  await em.nativeUpdate(
    Sponsorship,
    { clientNetwork: { $ne: null }, createdAt: old(2) },
    { clientNetwork: null },
  )
  await em.nativeDelete(Sponsorship, { state: 'released', createdAt: old(7) })
}
