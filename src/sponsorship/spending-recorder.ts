import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { WakeUp } from '../platform/async/wake-up.ts'
import type { SponsorContext } from './context.ts'
import type { SponsorshipMetrics } from './metrics.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'

const CLEANING_MS = 3_600_000
const AT_ONCE = 20

/** Writes down what sponsorships did cost, from the ledger, once they are final. */
export interface SpendingRecorder {
  /** Returns at once; the work goes on in the background until `stop`. */
  start(): void
  stop(): Promise<void>
}

interface Unread {
  id: string
  kind: SponsorshipKind
  signature: string
  /** Nodes forget old transactions; what was reserved is what the simulation said. */
  late: boolean
}

interface Landed {
  meta: { fee: number; preBalances: number[]; postBalances: number[] } | null
}

export function createSpendingRecorder(
  context: SponsorContext,
  metrics: SponsorshipMetrics,
): SpendingRecorder {
  const { kysely, clock, logger, timing } = context
  const wakeUp = new WakeUp()
  const abort = new AbortController()
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    let nextCleaning = 0
    while (!abort.signal.aborted) {
      try {
        for (const each of await unread(kysely)) await record(each, context, metrics)
        if (clock.now() >= nextCleaning) {
          await forget(kysely)
          nextCleaning = clock.now() + CLEANING_MS
        }
      } catch (err) {
        logger.warn({ err }, 'writing down what sponsorships cost failed and is tried again')
      }
      if (!abort.signal.aborted) await wakeUp.sleep(timing.finalityPollMs)
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    stop: async () => {
      abort.abort()
      wakeUp.wake()
      await running
    },
  }
}

async function unread(kysely: Kysely<Database>): Promise<Unread[]> {
  const { rows } = await sql<Unread>`
    select s.id, s.kind, s.signature, s.updated_at < now() - interval '10 minutes' as late
    from sponsorships as s join prepared_transactions as p on p.id = s.id
    where s.state in ('confirmed', 'failed') and s.spent_lamports is null and p.settled
    order by s.updated_at limit ${AT_ONCE}`.execute(kysely)
  return rows
}

async function record(
  { id, kind, signature, late }: Unread,
  { kysely, rpc }: SponsorContext,
  metrics: SponsorshipMetrics,
): Promise<void> {
  const landed = await rpc.call<Landed | null>('getTransaction', [
    signature,
    { encoding: 'base64', commitment: 'confirmed', maxSupportedTransactionVersion: 0 },
  ])
  const meta = landed?.meta ?? null
  if (meta === null && !late) return
  const spent = meta === null ? null : (meta.preBalances[0] ?? 0) - (meta.postBalances[0] ?? 0)
  const rent = meta === null || kind === 'transaction' ? null : Math.max(0, (spent ?? 0) - meta.fee)
  // Of several processes one writes, and counts.
  const { rows } = await sql<{ spent: number }>`
    update sponsorships
    set spent_lamports = coalesce(${spent}::bigint, reserved_lamports),
      rent_lamports = coalesce(${rent}::bigint, rent_lamports), updated_at = clock_timestamp()
    where id = ${id} and spent_lamports is null
    returning spent_lamports as spent`.execute(kysely)
  for (const row of rows) metrics.spent.inc({ kind }, Math.max(0, row.spent))
}

/** Client addresses are needed for a day; what was released tells nothing after a week. */
async function forget(kysely: Kysely<Database>): Promise<void> {
  await sql`
    update sponsorships set client_network = null
    where client_network is not null and created_at < now() - interval '2 days'`.execute(kysely)
  await sql`
    delete from sponsorships where state = 'released' and created_at < now() - interval '7 days'`.execute(
    kysely,
  )
}
