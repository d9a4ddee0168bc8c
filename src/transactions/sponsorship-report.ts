import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { SponsorshipState } from '../domain/sponsorship.ts'
import { CHARGED_LAMPORTS } from './quota.ts'

/** What the fee payer signed on a day (UTC). */
export interface SponsorshipDay {
  /** Like `2026-11-27`. */
  readonly day: string
  readonly registrations: number
  readonly transactions: number
  /** What that cost, or can cost at most where the cost is not known yet. */
  readonly lamports: string
}

export interface SponsoredRegistration {
  readonly wallet: string
  readonly agentPda: string
  readonly state: SponsorshipState
  /** Lamports. Null until the ledger has told them. */
  readonly spentLamports: string | null
  readonly createdAt: string
}

const DAYS = 30
const NEWEST = 20

/** Sponsorships, for the operator. Those that can never land are left out. */
export async function readSponsorshipReport(kysely: Kysely<Database>) {
  const [today, days, newest] = await Promise.all([
    sql<{ lamports: string }>`
      select ${CHARGED_LAMPORTS}::text as lamports from sponsorships
      where state <> 'released' and created_at > now() - interval '24 hours'`.execute(kysely),
    sql<SponsorshipDay>`
      select to_char(day, 'YYYY-MM-DD') as day,
        count(*) filter (where kind = 'registration')::int as registrations,
        count(*) filter (where kind = 'transaction')::int as transactions,
        ${CHARGED_LAMPORTS}::text as lamports
      from generate_series(0, ${sql.lit(DAYS - 1)}) as ago,
        lateral (select date_trunc('day', now() at time zone 'UTC') - ago * interval '1 day' as day) as days
        left join sponsorships on state <> 'released'
          and created_at >= day at time zone 'UTC' and created_at < (day + interval '1 day') at time zone 'UTC'
      group by day order by day`.execute(kysely),
    sql<SponsoredRegistration>`
      select wallet, agent_pda as "agentPda", state, spent_lamports::text as "spentLamports",
        created_at as "createdAt"
      from sponsorships where kind = 'registration' and state <> 'released'
      order by created_at desc limit ${sql.lit(NEWEST)}`.execute(kysely),
  ])
  return { spentLamports: today.rows[0]!.lamports, days: days.rows, newest: newest.rows }
}
