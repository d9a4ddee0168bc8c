import { randomUUID } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import { raw } from '@mikro-orm/postgresql'
import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { milliseconds } from '../../db/columns-of.ts'
import { AgentCardCheck, AgentCardHost } from '../../db/entities/agent-cards.ts'
import { Agent } from '../../db/entities/agents.ts'
import type { EntityManager } from '../../db/orm-types.ts'
import { cardOrigin, GATEWAY_SITES } from '../sites.ts'
import type { CardOutcome, RecordedCard } from './check-card.ts'
import { type CardTiming, CHECKS_PER_GATEWAY, CHECKS_PER_SITE } from './limits.ts'
import type { HostState } from '../../platform/net/hosted/fetch-hosted.ts'

/** A due card that this process has claimed until its lease expires. */
export interface DueCard extends RecordedCard {
  readonly agentPda: string
  readonly host: string
  /** Consecutive failures before this check. */
  readonly failures: number
  /** The lease token. A result is accepted only with it. */
  readonly token: string
  /** Time since the card became due, in seconds. */
  readonly waitedSeconds: number
}

/** The `first` queue has new and changed cards, `further` all others. */
export type CardQueue = 'first' | 'further'

/** Due cards that one claim reads. Those of sites without a free slot are not among them. */
const MAX_READ = 1_000

/**
 * Claims up to `limit` due cards, one of each site before the second of any. Skips hosts in
 * back-off. The lease of a check that was started counts as running until it expires.
 */
export async function claimCards(
  kysely: Kysely<Database>,
  { queue, limit, leaseMs }: { queue: CardQueue; limit: number; leaseMs: number },
): Promise<readonly DueCard[]> {
  const inQueue = queue === 'first' ? sql`state = 'unchecked'` : sql`state <> 'unchecked'`
  const slots = sql`case when c.site = any(${GATEWAY_SITES}::text[])
    then ${sql.lit(CHECKS_PER_GATEWAY)} else ${sql.lit(CHECKS_PER_SITE)} end`
  const { rows } = await sql<DueCard & { owner: Pubkey }>`
    with running as materialized (
      select site, count(*)::integer as checks from agent_card_checks
      where lease_token is not null and next_check_at > now() group by site
    ),
    due as materialized (
      select c.agent_pda, c.site, c.next_check_at, coalesce(r.checks, 0) as running, ${slots} as slots
      from agent_card_checks c left join running r on r.site = c.site
      where c.${inQueue} and c.next_check_at <= now() and c.site is not null and coalesce(r.checks, 0) < ${slots}
        and exists (select from agents a where a.pda = c.agent_pda)
        and not exists (select from agent_card_hosts h where h.host = c.host and h.retry_at > now())
      order by c.next_check_at limit ${sql.lit(MAX_READ)}
    ),
    ranked as (
      select *, running + row_number() over (partition by site order by next_check_at) as turn from due
    ),
    chosen as (
      select agent_pda from ranked where turn <= slots order by turn, next_check_at limit ${limit}
    ),
    locked as (
      select c.agent_pda, c.next_check_at from agent_card_checks c join chosen using (agent_pda)
      where c.next_check_at <= now() for update of c skip locked
    )
    update agent_card_checks c
    set lease_token = ${randomUUID()}, claimed_at = now(), next_check_at = now() + ${milliseconds(leaseMs)}
    from locked l, agents a
    where c.agent_pda = l.agent_pda and a.pda = c.agent_pda
    returning c.agent_pda as "agentPda", a.owner, c.url, c.hash, c.host, c.failures, c.lease_token as token,
      extract(epoch from now() - l.next_check_at)::float8 as "waitedSeconds"`.execute(kysely)
  return rows
}

const MAX_ROWS = 2_000

/** Stores the host and site of new URLs, so that their cards can be claimed: one batch of them. */
export async function findOrigins(kysely: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ agent_pda: string; url: string }>`
    select agent_pda, url from agent_card_checks where site is null limit ${sql.lit(MAX_ROWS)}`.execute(
    kysely,
  )
  if (rows.length === 0) return
  const found = rows.map((row) => Object.assign(row, cardOrigin(row.url)))
  // Skips rows that the indexer has locked: it locks several in its own order.
  await sql`
    with found as (
      select * from json_to_recordset(${JSON.stringify(found)}::json)
        as f(agent_pda text, url text, host text, site text)
    ),
    locked as (
      select c.agent_pda from agent_card_checks c join found f on f.agent_pda = c.agent_pda and f.url = c.url
      for update of c skip locked
    )
    update agent_card_checks c set host = f.host, site = f.site
    from locked l, found f where c.agent_pda = l.agent_pda and f.agent_pda = l.agent_pda`.execute(kysely)
}

interface CardResult {
  readonly outcome: CardOutcome
  readonly checkedAt: Date
  readonly nextCheckMs: number
  /** Between the starts of two refreshes of credentials. Null if this check requests none. */
  readonly credentialsPauseMs: number | null
}

const RECORD_ATTEMPTS = 5
/** lock_not_available and deadlock_detected: another transaction is writing the agent. */
const LOCK_ERRORS: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/** Returns false if the card changed on the ledger or the lease was lost. */
export async function recordCheck(em: EntityManager, card: DueCard, result: CardResult): Promise<boolean> {
  for (let attemptsLeft = RECORD_ATTEMPTS; ; attemptsLeft -= 1) {
    try {
      return await em.fork().transactional((trx) => write(trx, card, result))
    } catch (error) {
      if (attemptsLeft === 1 || !LOCK_ERRORS.has((error as { code?: unknown }).code)) throw error
    }
  }
}

/**
 * Locks in the order of other writers: table (rebuild), agent (indexer), check (trigger of the
 * agent). Without its agent, the check is written too, because a rebuild copies the verdict from
 * it.
 */
async function write(
  em: EntityManager,
  { agentPda, url, hash, token }: DueCard,
  { outcome, checkedAt, nextCheckMs, credentialsPauseMs }: CardResult,
): Promise<boolean> {
  const db = em.getKysely()
  // Shorter than deadlock_timeout, so that PostgreSQL never cancels the indexer instead.
  await sql`set local lock_timeout = '500ms'`.execute(db)
  await sql`lock table agent_card_checks in row exclusive mode`.execute(db)
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const checked = { pda: agentPda, agentCardUrl: url, agentCardHash: hash }
  const agent = await em.findOne(Agent, checked, { lockMode })
  const check = await em.findOne(AgentCardCheck, { agentPda, leaseToken: token, url, hash }, { lockMode })
  if (check === null) return false
  em.assign(check, {
    state: outcome.state,
    reason: outcome.reason,
    checkedAt: checkedAt.toISOString(),
    nextCheckAt: raw("now() + ? * interval '1 ms'", [nextCheckMs]),
    leaseToken: null,
  })
  if (credentialsPauseMs !== null) {
    const dueAt = "greatest(now(), credentials_claimed_at + ? * interval '1 ms')"
    // A refresh that is running now does not count as the one that is requested.
    em.assign(check, { credentialsDueAt: raw(dueAt, [credentialsPauseMs]), credentialsToken: null })
  }
  if (outcome.state === 'unreachable') {
    check.failures += 1
  } else {
    const { matchedBy, signature, content } = outcome
    const cardHashMismatch = outcome.state === 'mismatched'
    em.assign(check, { failures: 0, cardHashMismatch, matchedBy, signature, content })
    if (agent !== null) agent.cardHashMismatch = cardHashMismatch
  }
  return agent !== null
}

interface CheckedHost {
  readonly host: string
  readonly state: HostState
  /** Why its card is unreachable. */
  readonly reason: string | null
  readonly checkedAt: Date
}

/**
 * Starts or ends the back-off of a host. Unchecked cards of a host that is down become unreachable.
 * A host that did not respond is not down if it served another card within a day: owners that share
 * a host must not be able to stop each other's checks.
 */
export async function recordHost(
  em: EntityManager,
  { host, state, reason, checkedAt }: CheckedHost,
  { retryMs, retryFactor, hostRetryMs }: CardTiming,
  jitter: number,
): Promise<void> {
  if (state === null) return
  if (state === 'responded') {
    await em.fork().nativeDelete(AgentCardHost, { host })
    return
  }
  const wait = sql`least(${retryMs}::float8 * power(${retryFactor}::float8, least(h.failures, 20)), ${hostRetryMs}::float8)`
  // Checks that ran at once count as one failure.
  await sql`
    with served as (
      select from agent_card_checks
      where host = ${host} and state in ('matched', 'mismatched') and checked_at > ${checkedAt}::timestamptz - interval '1 day'
      limit 1
    ),
    backed_off as (
      insert into agent_card_hosts as h (host, failures, retry_at)
      select ${host}, 1, now() + ${milliseconds(retryMs * jitter)}
      where ${state === 'down'} or not exists (select from served)
      on conflict (host) do update
        set failures = h.failures + 1, retry_at = now() + ${wait} * ${jitter}::float8 * interval '1 ms'
        where h.retry_at <= now()
      returning host
    )
    update agent_card_checks c set state = 'unreachable', reason = ${reason}, checked_at = ${checkedAt}
    from backed_off b where c.host = b.host and c.state = 'unchecked' and c.lease_token is null`.execute(
    em.getKysely(),
  )
}

/** Deletes hosts that no check used for two days: cards that name one are checked each day. */
export async function forgetHosts(em: EntityManager): Promise<void> {
  await em.fork().nativeDelete(AgentCardHost, { retryAt: { $lt: raw("now() - interval '2 days'") } })
}
