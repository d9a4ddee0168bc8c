import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import type { CardOutcome, RecordedCard } from './check-card.ts'

/** A due card that this process has claimed until its lease expires. */
export interface DueCard extends RecordedCard {
  readonly agentPda: string
  readonly host: string
  /** Consecutive failures before this check. */
  readonly failures: number
}

export interface CardResult {
  readonly outcome: CardOutcome
  readonly checkedAt: Date
  readonly nextCheckMs: number
}

/** Writes the table agent_card_checks and the column agents.card_hash_mismatch. */
export interface CardCheckStore {
  /** Claims the card that has been due the longest. Skips busy hosts and hosts in back-off. */
  claim(options: { token: string; leaseMs: number; busyHosts: readonly string[] }): Promise<DueCard | null>
  /** Writes nothing and returns false if the card changed on the ledger or the lease was lost. */
  record(card: DueCard, token: string, result: CardResult): Promise<boolean>
  /** Starts the back-off of a host. Its unchecked cards become unreachable. */
  recordHostFailure(
    host: string,
    waitMs: (failures: number) => number,
    reason: string,
    now: Date,
  ): Promise<void>
  clearHostFailures(host: string): Promise<void>
}

const RECORD_ATTEMPTS = 5
/** lock_not_available and deadlock_detected: another transaction is writing the agent. */
const LOCK_ERRORS: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

export function createCardCheckStore(kysely: Kysely<Database>): CardCheckStore {
  return {
    claim: async ({ token, leaseMs, busyHosts }) => {
      const { rows } = await sql<DueCard & { owner: Pubkey }>`
        update agent_card_checks as c
        set lease_token = ${token}, next_check_at = now() + ${milliseconds(leaseMs)}
        from agents a
        where a.pda = c.agent_pda and c.agent_pda = (
          select agent_pda from agent_card_checks d
          where next_check_at <= now() and host <> all(${busyHosts}::text[])
            and exists (select 1 from agents where agents.pda = d.agent_pda)
            and not exists (select 1 from agent_card_hosts h where h.host = d.host and h.retry_at > now())
          order by next_check_at limit 1 for update skip locked
        )
        returning c.agent_pda as "agentPda", a.owner, c.url, c.hash, c.host, c.failures`.execute(kysely)
      return rows[0] ?? null
    },
    record: async (card, token, result) => {
      for (let attemptsLeft = RECORD_ATTEMPTS; ; attemptsLeft -= 1) {
        try {
          return await kysely.transaction().execute((db) => record(db, card, token, result))
        } catch (error) {
          if (attemptsLeft === 1 || !LOCK_ERRORS.has((error as { code?: unknown }).code)) throw error
        }
      }
    },
    recordHostFailure: async (host, waitMs, reason, now) => {
      const { rows } = await sql<{ failures: number }>`
        insert into agent_card_hosts as h (host, failures, retry_at) values (${host}, 1, now())
        on conflict (host) do update set failures = h.failures + 1
        returning failures`.execute(kysely)
      const wait = milliseconds(waitMs(rows[0]?.failures ?? 1))
      await sql`update agent_card_hosts set retry_at = now() + ${wait} where host = ${host}`.execute(kysely)
      await sql`
        update agent_card_checks set state = 'unreachable', reason = ${reason}, checked_at = ${now}
        where host = ${host} and state = 'unchecked'`.execute(kysely)
    },
    clearHostFailures: async (host) => {
      await sql`delete from agent_card_hosts where host = ${host}`.execute(kysely)
    },
  }
}

/**
 * Writes the check before the agent, because a rebuild copies the verdict from the check. Locks in
 * the order of other writers: table (rebuild), agent (indexer), check (trigger of the agent).
 */
async function record(
  db: Kysely<Database>,
  { agentPda, url, hash }: DueCard,
  token: string,
  { outcome, checkedAt, nextCheckMs }: CardResult,
): Promise<boolean> {
  const verdict = outcome.state === 'unreachable' ? null : outcome.state === 'mismatched'
  // Shorter than deadlock_timeout, so that PostgreSQL never cancels the indexer instead.
  await sql`set local lock_timeout = '500ms'`.execute(db)
  await sql`lock table agent_card_checks in row exclusive mode`.execute(db)
  const agents = await sql`
    select 1 from agents where pda = ${agentPda} and agent_card_url = ${url} and agent_card_hash = ${hash}
    for no key update`.execute(db)
  const found = outcome.state === 'unreachable' ? null : outcome
  const checks = await sql`
    update agent_card_checks set
      state = ${outcome.state}, reason = ${outcome.reason}, checked_at = ${checkedAt},
      next_check_at = now() + ${milliseconds(nextCheckMs)}, lease_token = null,
      failures = case when ${found === null} then failures + 1 else 0 end,
      card_hash_mismatch = coalesce(${verdict}::boolean, card_hash_mismatch),
      matched_by = case when ${found === null} then matched_by else ${found?.matchedBy ?? null} end,
      signature = case when ${found === null} then signature else ${found?.signature ?? null} end,
      content = case when ${found === null} then content else ${toJson(found?.content)}::jsonb end
    where agent_pda = ${agentPda} and lease_token = ${token} and url = ${url} and hash = ${hash}
    returning 1`.execute(db)
  if (agents.rows.length === 0 || checks.rows.length === 0) return false
  if (verdict !== null) {
    await sql`
      update agents set card_hash_mismatch = ${verdict}
      where pda = ${agentPda} and card_hash_mismatch <> ${verdict}`.execute(db)
  }
  return true
}

function milliseconds(count: number) {
  return sql`(${Math.round(count)}::bigint * interval '1 millisecond')`
}

function toJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}
