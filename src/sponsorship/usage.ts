import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'

export interface SponsorshipRequest {
  readonly kind: SponsorshipKind
  readonly wallet: Pubkey
  /** The hash of a registration's invite code. Null for other transactions. */
  readonly codeHash: string | null
  /** The result of `clientNetwork`. */
  readonly clientNetwork: string
}

/** What counts against the quotas of a request. A day is the last 24 hours. */
export interface SponsorshipUsage {
  /** Null if the code is unknown, expired or revoked. */
  readonly codeUsesLeft: number | null
  /** The wallet's registration, if it is signed or if this client prepared it. */
  readonly walletRegistration: 'reserved' | 'submitted' | 'confirmed' | null
  readonly walletHasAgent: boolean
  /** Registrations of the client network per day. */
  readonly clientRegistrations: number
  /** Seconds until the oldest of them no longer counts. */
  readonly clientRetrySeconds: number
  /** Other transactions of the wallet per day that are signed, or that this client prepared. */
  readonly walletTransactions: number
  /** Seconds until the oldest of them no longer counts. */
  readonly walletRetrySeconds: number
  /** Lamports spent or reserved per day. */
  readonly dailyLamports: number
  /** The part of `dailyLamports` for transactions other than registrations. */
  readonly dailyTransactionLamports: number
  /** Reserved lamports that may still be in the fee payer's balance. */
  readonly pendingLamports: number
}

/** Reads the usage in one statement, with the clock of the database. */
export async function readUsage(
  kysely: Kysely<Database>,
  { wallet, codeHash, clientNetwork }: SponsorshipRequest,
): Promise<SponsorshipUsage> {
  const { rows } = await sql<SponsorshipUsage>`
    with clock as materialized (
      select clock_timestamp() as now, clock_timestamp() - interval '24 hours' as day_start
    )
    select
      (select max_uses - (
          select count(*)::int from sponsorships
          where code_hash = ${codeHash} and state in ('reserved', 'submitted', 'confirmed'))
        from invite_codes
        where hash = ${codeHash} and revoked_at is null and (expires_at is null or expires_at > clock.now)
      ) as "codeUsesLeft",
      coalesce(
        (select state from sponsorships
          where wallet = ${wallet} and kind = 'registration' and state in ('submitted', 'confirmed')),
        (select state from sponsorships
          where wallet = ${wallet} and kind = 'registration' and state = 'reserved'
            and client_network = ${clientNetwork}
          limit 1)
      ) as "walletRegistration",
      exists (select from agents where owner = ${wallet}) as "walletHasAgent",
      client_usage.count as "clientRegistrations",
      ceil(extract(epoch from client_usage.oldest - clock.day_start))::int as "clientRetrySeconds",
      wallet_usage.count as "walletTransactions",
      ceil(extract(epoch from wallet_usage.oldest - clock.day_start))::int as "walletRetrySeconds",
      daily_usage.lamports as "dailyLamports",
      daily_usage.transaction_lamports as "dailyTransactionLamports",
      (select coalesce(sum(reserved_lamports), 0)::bigint from sponsorships
        where state in ('reserved', 'submitted')) as "pendingLamports"
    from clock,
      lateral (select coalesce(sum(lamports), 0)::bigint as lamports,
          coalesce(sum(lamports) filter (where kind = 'transaction'), 0)::bigint as transaction_lamports
        from (select kind, coalesce(spent_lamports, reserved_lamports) as lamports from sponsorships
          where created_at > clock.day_start and state <> 'released') as costs) as daily_usage,
      lateral (select count(*)::int as count, min(created_at) as oldest from sponsorships
        where client_network = ${clientNetwork} and kind = 'registration' and state <> 'released'
          and created_at > clock.day_start) as client_usage,
      lateral (select count(*)::int as count, min(created_at) as oldest from sponsorships
        where wallet = ${wallet} and kind = 'transaction' and state <> 'released'
          and created_at > clock.day_start
          and (state <> 'reserved' or client_network = ${clientNetwork})) as wallet_usage
  `.execute(kysely)
  const [usage] = rows
  if (usage === undefined) throw new Error('the usage statement returned no row')
  return usage
}
