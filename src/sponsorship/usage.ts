import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { SponsorshipRequest } from './applicant.ts'

/** What decides whether an applicant is sponsored, as the database knows it now. A day is the last 24 hours. */
export interface SponsorshipUsage {
  /** Uses that the code has left; null where it is unknown, expired or revoked. */
  readonly codeUsesLeft: number | null
  /** The wallet's registration: signed and under way, received, or prepared by this client. */
  readonly walletRegistration: 'reserved' | 'submitted' | 'confirmed' | null
  readonly walletHasAgent: boolean
  /** Registrations of the client in a day, and seconds until the oldest of them does not count any more. */
  readonly clientRegistrations: number
  readonly clientRetrySeconds: number
  /** Other transactions of the wallet in a day: those that it signed, and those that this client prepared. */
  readonly walletTransactions: number
  readonly walletRetrySeconds: number
  /** Lamports spent in a day or reserved. */
  readonly dailyLamports: number
  /** The part of it that is for transactions beside registrations. */
  readonly dailyTransactionLamports: number
  /** Lamports reserved that may not have left the fee payer yet. */
  readonly pendingLamports: number
}

/** One statement, by the database's clock. */
export async function readUsage(
  kysely: Kysely<Database>,
  { wallet, codeHash, clientNetwork: network }: SponsorshipRequest,
): Promise<SponsorshipUsage> {
  const { rows } = await sql<SponsorshipUsage>`
    with at as materialized (select clock_timestamp() as now, clock_timestamp() - interval '24 hours' as day_ago)
    select
      (select max_uses - (
          select count(*)::int from sponsorships
          where code_hash = ${codeHash} and state in ('reserved', 'submitted', 'confirmed'))
        from invite_codes
        where hash = ${codeHash} and revoked_at is null and (expires_at is null or expires_at > at.now)
      ) as "codeUsesLeft",
      coalesce(
        (select state from sponsorships
          where wallet = ${wallet} and kind = 'registration' and state in ('submitted', 'confirmed')),
        (select state from sponsorships
          where wallet = ${wallet} and kind = 'registration' and state = 'reserved' and client_network = ${network}
          limit 1)
      ) as "walletRegistration",
      exists (select from agents where owner = ${wallet}) as "walletHasAgent",
      client.count as "clientRegistrations",
      ceil(extract(epoch from client.oldest - at.day_ago))::int as "clientRetrySeconds",
      signed.count as "walletTransactions",
      ceil(extract(epoch from signed.oldest - at.day_ago))::int as "walletRetrySeconds",
      day.lamports as "dailyLamports", day.transactions as "dailyTransactionLamports",
      (select coalesce(sum(reserved_lamports), 0)::bigint from sponsorships
        where state in ('reserved', 'submitted')) as "pendingLamports"
    from at,
      lateral (select coalesce(sum(lamports), 0)::bigint as lamports,
          coalesce(sum(lamports) filter (where kind = 'transaction'), 0)::bigint as transactions
        from (select kind, coalesce(spent_lamports, reserved_lamports) as lamports from sponsorships
          where created_at > at.day_ago and state <> 'released') as counted) as day,
      lateral (select count(*)::int as count, min(created_at) as oldest from sponsorships
        where client_network = ${network} and kind = 'registration' and state <> 'released'
          and created_at > at.day_ago) as client,
      lateral (select count(*)::int as count, min(created_at) as oldest from sponsorships
        where wallet = ${wallet} and kind = 'transaction' and state <> 'released'
          and created_at > at.day_ago and (state <> 'reserved' or client_network = ${network})) as signed
  `.execute(kysely)
  const [facts] = rows
  if (facts === undefined) throw new Error('the statement of facts answered no row')
  return facts
}
