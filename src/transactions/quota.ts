import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tier } from '@agent-registry/program'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../db/database.ts'
import type { EntityManager } from '../db/orm-types.ts'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import type { SponsorLimits, SponsorshipKind } from '../domain/sponsorship.ts'
import type { SponsorContext, TransactionsContext } from './context.ts'
import { SPONSOR_POLICY } from './sponsor-policy.ts'

export type SponsorshipRequest = Readonly<ReturnType<typeof sponsorshipRequest>>

/** A request with an invite code is a registration. */
export function sponsorshipRequest(
  wallet: Pubkey,
  codeHash: string | null,
  clientIp: string,
  { addresses }: TransactionsContext,
) {
  const kind: SponsorshipKind = codeHash === null ? 'transaction' : 'registration'
  const agentPda = addresses.agent(wallet)
  return { kind, wallet, agentPda, codeHash, clientNetwork: clientNetwork(clientIp) }
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

/** What sponsorships cost, or can cost at most where the cost is not known yet. SQL. */
export const CHARGED_LAMPORTS = sql<number>`coalesce(sum(coalesce(spent_lamports, reserved_lamports)), 0)::bigint`

/** Uses the database's clock. Without the time of the ledger, open preparations do not count. */
export async function readUsage(
  kysely: Kysely<Database>,
  { kind, wallet, agentPda, codeHash, clientNetwork: network }: SponsorshipRequest,
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
      lateral (select ${CHARGED_LAMPORTS} as lamports,
          coalesce(sum(coalesce(spent_lamports, reserved_lamports)) filter (where kind = 'transaction'), 0)::bigint
            as transaction_lamports,
          coalesce(sum(reserved_lamports) filter (
            where spent_lamports is null and created_at > clock.now - interval '1 hour'), 0)::bigint
            as pending_lamports
        from sponsorships where created_at > clock.day_start and state <> 'released') as daily_usage,
      lateral (select count(*)::int as count, min(created_at) as oldest from sponsorships
        where client_network = ${network} and kind = ${kind} and state <> 'released'
          and created_at > clock.day_start) as client_usage,
      lateral (select count(*)::int as count, min(until) + 1 - ${blockHeight}::int8 as blocks from (
        select max(last_valid_block_height) as until from prepared_transactions
        where client_network = ${network} and not settled and signed_tx is null
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

/** Lamports. */
export interface Funds {
  /** The most that the transaction can cost. */
  readonly cost: bigint
  /** The fee payer's. */
  readonly balance: bigint
}

/** The errors for what others can use up between the preparation and the owner's signature. */
export const QUOTA_ERRORS_AT_PREPARE = {
  codeUsedUp: 'INVITE_CODE_INVALID',
  budgetUsed: 'SPONSOR_BUDGET_USED',
  balanceLow: 'SPONSOR_BALANCE_LOW',
} as const
export const QUOTA_ERRORS_AT_SUBMIT = {
  codeUsedUp: 'INVITE_CODE_USED_UP',
  budgetUsed: 'SPONSOR_BUDGET_USED_BEFORE_SIGNING',
  balanceLow: 'SPONSOR_BALANCE_LOW_BEFORE_SIGNING',
} as const

/**
 * Throws if the usage does not allow the sponsorship. Checks the invite code first, so that a
 * client without a code learns nothing about wallets, other clients or the balance.
 */
export function checkQuota(
  request: SponsorshipRequest,
  usage: SponsorshipUsage,
  { cost, balance }: Funds,
  limits: SponsorLimits,
  errors: typeof QUOTA_ERRORS_AT_PREPARE | typeof QUOTA_ERRORS_AT_SUBMIT,
): void {
  const { budgetUsed, balanceLow } = errors
  if (request.kind === 'registration') {
    checkRegistrationQuota(request, usage, limits, errors)
  } else {
    checkTransactionQuota(request, usage, limits)
    const budget = (limits.dailyBudget * BigInt(SPONSOR_POLICY.transaction.budgetShare)) / 100n
    if (BigInt(usage.dailyTransactionLamports) + cost > budget) throw new DomainError(budgetUsed)
  }
  if (BigInt(usage.dailyLamports) + cost > limits.dailyBudget) throw new DomainError(budgetUsed)
  if (balance - BigInt(usage.pendingLamports) - cost < limits.minBalance) throw new DomainError(balanceLow)
}

function checkRegistrationQuota(
  { wallet }: SponsorshipRequest,
  usage: SponsorshipUsage,
  limits: SponsorLimits,
  { codeUsedUp }: typeof QUOTA_ERRORS_AT_PREPARE | typeof QUOTA_ERRORS_AT_SUBMIT,
): void {
  if (usage.codeUsesLeft === null) throw new DomainError('INVITE_CODE_INVALID')
  if (usage.codeUsesLeft <= 0) throw new DomainError(codeUsedUp)
  if (usage.walletRegistration === 'confirmed') throw new DomainError('WALLET_SPONSORED', { wallet })
  if (usage.walletRegistration === 'submitted') throw new DomainError('REGISTRATION_OPEN', { wallet })
  if (usage.agentTier !== null) throw new DomainError('AGENT_EXISTS', { wallet })
  checkClientQuota(usage, limits)
}

/** Throws SPONSOR_CLIENT_LIMIT if the client cannot sign one more registration. */
export function checkClientQuota(
  usage: SponsorshipUsage,
  { dailyRegistrationsPerClient: max }: SponsorLimits,
): void {
  const { clientCount: signed, openCount: open } = usage
  if (signed + open < max) return
  const isSigned = signed >= max
  const seconds = Math.max(1, (isSigned ? usage.clientRetrySeconds : usage.openRetrySeconds) ?? 1)
  const prepared = open > 0 ? ` and ${open} prepared that can still be signed` : ''
  const counted = `${signed} signed in the last 24 hours${prepared}`
  throw new DomainError('SPONSOR_CLIENT_LIMIT', { max, counted, seconds }, { retryAfterSeconds: seconds })
}

function checkTransactionQuota(
  { wallet }: SponsorshipRequest,
  usage: SponsorshipUsage,
  { dailyTransactionsPerWallet: perWallet, dailyTransactionsPerClient: perClient }: SponsorLimits,
): void {
  const hasStake = usage.agentTier !== null && usage.agentTier !== 'observer'
  if (usage.walletRegistration !== 'confirmed' && !hasStake)
    throw new DomainError('AGENT_NOT_SPONSORED', { wallet })
  if (usage.walletTransactions >= perWallet)
    throw quotaExceeded('SPONSOR_WALLET_LIMIT', perWallet, usage.walletRetrySeconds)
  if (usage.clientCount >= perClient)
    throw quotaExceeded('SPONSOR_CLIENT_TRANSACTION_LIMIT', perClient, usage.clientRetrySeconds)
}

function quotaExceeded(
  code: 'SPONSOR_WALLET_LIMIT' | 'SPONSOR_CLIENT_TRANSACTION_LIMIT',
  max: number,
  retrySeconds: number | null,
): DomainError {
  const seconds = Math.max(1, retrySeconds ?? 1)
  return new DomainError(code, { max, seconds }, { retryAfterSeconds: seconds })
}

/** How often the invite code with this hash was used, as an SQL expression. */
export function codeUses(hash: RawBuilder<string>): RawBuilder<number> {
  const free = sql.lit(SPONSOR_POLICY.registration.freeFailuresPerCode)
  return sql<number>`(
    select count(*) filter (where state <> 'failed')
      + greatest(0, count(*) filter (where state = 'failed') - ${free})
    from sponsorships where code_hash = ${hash} and state <> 'released')::int`
}

/** All processes hold this lock while they read the usage and add a sponsorship to it. */
export const SPONSORSHIP_LOCK = 7_120_311
/** A process that hangs must not hold the lock longer. */
const LOCK_TIMEOUT_MS = 5_000

/** Runs `work` in one transaction that holds the lock. */
export function withUsageLock<Result>(
  { em, sponsor }: SponsorContext,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return sponsor.signing.add(() =>
    em.fork().transactional(async (locked) => {
      const trx = locked.getKysely()
      const timeout = String(LOCK_TIMEOUT_MS)
      await sql`
        select set_config('statement_timeout', ${timeout}, true),
          set_config('idle_in_transaction_session_timeout', ${timeout}, true)`.execute(trx)
      await sql`select pg_advisory_xact_lock(${sql.lit(SPONSORSHIP_LOCK)})`.execute(trx)
      return work(locked)
    }),
  )
}
