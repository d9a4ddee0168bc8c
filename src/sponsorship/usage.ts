import { type Kysely, sql } from 'kysely'
import type { Tier } from '@agent-registry/program'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import type { SponsorshipKind } from '../domain/sponsorship.ts'
import { codeUses } from './code-uses.ts'

export interface SponsorshipRequest {
  readonly kind: SponsorshipKind
  readonly wallet: Pubkey
  /** The agent of the wallet, registered or not. */
  readonly agentPda: Pubkey
  /** The hash of a registration's invite code. Null for other transactions. */
  readonly codeHash: string | null
  /** The result of `clientNetwork`. */
  readonly clientNetwork: string
}

/** What counts against the quotas of a request. A day is the last 24 hours. */
export interface SponsorshipUsage {
  /** Null if the code is unknown, expired or revoked. */
  readonly codeUsesLeft: number | null
  /** The wallet's registration, unless it failed or expired. */
  readonly walletRegistration: 'submitted' | 'confirmed' | null
  /** Null if the wallet has no agent. As indexed. */
  readonly agentTier: Tier | null
  /** Signed transactions of this kind of the client network per day. */
  readonly clientCount: number
  /** Seconds until the oldest of them no longer counts. */
  readonly clientRetrySeconds: number
  /** Other wallets whose registration the client network prepared, and that can still sign it. */
  readonly openCount: number
  /** Seconds until the first of these registrations expires. Null if there is none. */
  readonly openRetrySeconds: number | null
  /** Transactions of the wallet per day, registrations not counted. */
  readonly walletTransactions: number
  /** Seconds until the oldest of them no longer counts. */
  readonly walletRetrySeconds: number
  /** Lamports spent per day, or the highest possible cost where it is not known yet. */
  readonly dailyLamports: number
  /** The part of `dailyLamports` for transactions other than registrations. */
  readonly dailyTransactionLamports: number
  /** The highest cost of the transactions that a node's balance may not contain yet. */
  readonly pendingLamports: number
}

/** What the node says about the time of the ledger. */
export interface LedgerTime {
  readonly blockHeight: number
  readonly slotSeconds: number
}

/**
 * Reads the usage in one statement, with the clock of the database. Without the time of the ledger,
 * no preparation counts as open.
 */
export async function readUsage(
  kysely: Kysely<Database>,
  { kind, wallet, agentPda, codeHash, clientNetwork }: SponsorshipRequest,
  ledger: LedgerTime | null,
): Promise<SponsorshipUsage> {
  const blockHeight = ledger?.blockHeight ?? null
  // A transaction lands within minutes or never, so after an hour its cost is in the balance.
  const { rows } = await sql<SponsorshipUsage>`
    with clock as materialized (
      select clock_timestamp() as now, clock_timestamp() - interval '24 hours' as day_start
    )
    select
      (select max_uses - ${codeUses(sql`hash`)} from invite_codes
        where hash = ${codeHash} and revoked_at is null and (expires_at is null or expires_at > clock.now)
      ) as "codeUsesLeft",
      (select state from sponsorships
        where wallet = ${wallet} and kind = 'registration' and state in ('submitted', 'confirmed')
      ) as "walletRegistration",
      (select tier from agents where pda = ${agentPda}) as "agentTier",
      client_usage.count as "clientCount",
      ceil(extract(epoch from client_usage.oldest - clock.day_start))::int as "clientRetrySeconds",
      open_usage.count as "openCount",
      ceil(open_usage.blocks * ${ledger?.slotSeconds ?? null}::float8)::int as "openRetrySeconds",
      wallet_usage.count as "walletTransactions",
      ceil(extract(epoch from wallet_usage.oldest - clock.day_start))::int as "walletRetrySeconds",
      daily_usage.lamports as "dailyLamports",
      daily_usage.transaction_lamports as "dailyTransactionLamports",
      daily_usage.pending_lamports as "pendingLamports"
    from clock,
      lateral (select coalesce(sum(coalesce(spent_lamports, reserved_lamports)), 0)::bigint as lamports,
          coalesce(sum(coalesce(spent_lamports, reserved_lamports)) filter (where kind = 'transaction'), 0)::bigint
            as transaction_lamports,
          coalesce(sum(reserved_lamports) filter (
            where spent_lamports is null and created_at > clock.now - interval '1 hour'), 0)::bigint
            as pending_lamports
        from sponsorships where created_at > clock.day_start and state <> 'released') as daily_usage,
      lateral (select count(*)::int as count, min(created_at) as oldest from sponsorships
        where client_network = ${clientNetwork} and kind = ${kind} and state <> 'released'
          and created_at > clock.day_start) as client_usage,
      lateral (select count(*)::int as count, min(until) + 1 - ${blockHeight}::int8 as blocks from (
        select max(last_valid_block_height) as until from prepared_transactions
        where client_network = ${clientNetwork} and not settled and signed_tx is null
          and wallet <> ${wallet} and last_valid_block_height >= ${blockHeight}
        group by wallet) as wallets) as open_usage,
      lateral (select count(*)::int as count, min(created_at) as oldest from sponsorships
        where wallet = ${wallet} and kind = 'transaction' and state <> 'released'
          and created_at > clock.day_start) as wallet_usage
  `.execute(kysely)
  const [usage] = rows
  if (usage === undefined) throw new Error('the usage statement returned no row')
  return usage
}
