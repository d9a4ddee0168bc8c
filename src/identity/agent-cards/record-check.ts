import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { milliseconds } from '../../db/milliseconds.ts'
import type { CardOutcome } from './check-card.ts'
import type { DueCard } from './claim-cards.ts'

export interface CardResult {
  readonly outcome: CardOutcome
  readonly checkedAt: Date
  readonly nextCheckMs: number
  /**
   * The shortest time between the starts of two refreshes of the agent's credentials. Null if this
   * check requests none.
   */
  readonly credentialsPauseMs: number | null
}

const RECORD_ATTEMPTS = 5
/** lock_not_available and deadlock_detected: another transaction is writing the agent. */
const LOCK_ERRORS: ReadonlySet<unknown> = new Set(['55P03', '40P01'])

/**
 * Writes the result of a check to agent_card_checks and agents.card_hash_mismatch. Writes nothing
 * and returns false if the card changed on the ledger or the lease was lost.
 */
export async function recordCheck(
  kysely: Kysely<Database>,
  card: DueCard,
  result: CardResult,
): Promise<boolean> {
  for (let attemptsLeft = RECORD_ATTEMPTS; ; attemptsLeft -= 1) {
    try {
      return await kysely.transaction().execute((db) => write(db, card, result))
    } catch (error) {
      if (attemptsLeft === 1 || !LOCK_ERRORS.has((error as { code?: unknown }).code)) throw error
    }
  }
}

/**
 * Writes the check before the agent, because a rebuild copies the verdict from the check. Locks in
 * the order of other writers: table (rebuild), agent (indexer), check (trigger of the agent).
 */
async function write(
  db: Kysely<Database>,
  { agentPda, url, hash, token }: DueCard,
  { outcome, checkedAt, nextCheckMs, credentialsPauseMs }: CardResult,
): Promise<boolean> {
  const verdict = outcome.state === 'unreachable' ? null : outcome.state === 'mismatched'
  // Shorter than deadlock_timeout, so that PostgreSQL never cancels the indexer instead.
  await sql`set local lock_timeout = '500ms'`.execute(db)
  await sql`lock table agent_card_checks in row exclusive mode`.execute(db)
  const agents = await sql`
    select 1 from agents where pda = ${agentPda} and agent_card_url = ${url} and agent_card_hash = ${hash}
    for no key update`.execute(db)
  const found = outcome.state === 'unreachable' ? null : outcome
  // Without the token, a refresh that is running now does not count as the one that is requested.
  const dueCredentials =
    credentialsPauseMs === null
      ? sql``
      : sql`credentials_token = null,
        credentials_due_at = greatest(now(), credentials_claimed_at + ${milliseconds(credentialsPauseMs)}),`
  const checks = await sql`
    update agent_card_checks set
      state = ${outcome.state}, reason = ${outcome.reason}, checked_at = ${checkedAt},
      next_check_at = now() + ${milliseconds(nextCheckMs)}, lease_token = null,
      ${dueCredentials}
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

function toJson(value: unknown): string | null {
  return value === undefined || value === null ? null : JSON.stringify(value)
}
