import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { cardOrigin } from './card-origin.ts'

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
