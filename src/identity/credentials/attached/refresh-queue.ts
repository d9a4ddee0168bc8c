import { randomUUID } from 'node:crypto'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../../db/database.ts'
import { milliseconds } from '../../../db/milliseconds.ts'
import type { RefreshedAgent } from './refresh.ts'

/** An agent whose credentials this process refreshes until its lease expires. */
export interface DueAgent extends RefreshedAgent {
  readonly token: string
}

/** Claims up to `limit` agents whose credentials are due. */
export async function claimRefreshes(
  kysely: Kysely<Database>,
  limit: number,
  leaseMs: number,
): Promise<readonly DueAgent[]> {
  const { rows } = await sql<DueAgent>`
    with due as (
      select agent_pda from agent_card_checks where credentials_due_at <= now()
      order by credentials_due_at limit ${limit} for update skip locked
    )
    update agent_card_checks c set
      credentials_token = ${randomUUID()}, credentials_claimed_at = now(),
      credentials_due_at = now() + ${milliseconds(leaseMs)}
    from due, agents a where c.agent_pda = due.agent_pda and a.pda = c.agent_pda
    returning c.agent_pda as pda, a.owner, c.credentials_token as token,
      case when c.state = 'matched' then coalesce(c.content -> 'credentials', '[]') end as listed`.execute(
    kysely,
  )
  return rows
}

/** The credentials are due again when the next check requests it. */
export async function finishRefresh(kysely: Kysely<Database>, { pda, token }: DueAgent): Promise<void> {
  await sql`
    update agent_card_checks set credentials_due_at = null, credentials_token = null
    where agent_pda = ${pda} and credentials_token = ${token}`.execute(kysely)
}
