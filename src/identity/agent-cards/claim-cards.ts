import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { milliseconds } from '../../db/milliseconds.ts'
import { GATEWAY_SITES } from './card-origin.ts'
import type { RecordedCard } from './check-card.ts'
import { CHECKS_PER_GATEWAY, CHECKS_PER_SITE } from './limits.ts'

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

/** Due cards that one claim reads. Those of sites without a free place are not among them. */
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
  const places = sql`case when c.site = any(${GATEWAY_SITES}::text[])
    then ${sql.lit(CHECKS_PER_GATEWAY)} else ${sql.lit(CHECKS_PER_SITE)} end`
  const { rows } = await sql<DueCard & { owner: Pubkey }>`
    with running as materialized (
      select site, count(*)::integer as checks from agent_card_checks
      where lease_token is not null and next_check_at > now() group by site
    ),
    due as materialized (
      select c.agent_pda, c.site, c.next_check_at, coalesce(r.checks, 0) as running, ${places} as places
      from agent_card_checks c left join running r on r.site = c.site
      where c.${inQueue} and c.next_check_at <= now() and c.site is not null and coalesce(r.checks, 0) < ${places}
        and exists (select from agents a where a.pda = c.agent_pda)
        and not exists (select from agent_card_hosts h where h.host = c.host and h.retry_at > now())
      order by c.next_check_at limit ${sql.lit(MAX_READ)}
    ),
    ranked as (
      select *, running + row_number() over (partition by site order by next_check_at) as place from due
    ),
    chosen as (
      select agent_pda from ranked where place <= places order by place, next_check_at limit ${limit}
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
