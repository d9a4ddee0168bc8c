import { type Kysely, type RawBuilder, sql } from 'kysely'
import { type PageRow, readPage } from '../db/read-page.ts'
import type { Database } from '../db/database.ts'
import type { Page } from '../domain/page.ts'
import { coarseConditions, fineConditions, where } from './agent-conditions.ts'
import { type AgentListInput, type AgentQuery, agentQuery } from './agent-filter.ts'
import { agentColumns, type AgentRow } from './agent-row.ts'

const SORT_KEYS: Record<AgentQuery['sort'], RawBuilder<unknown>> = {
  created_at: sql`created_at`,
  reputation: sql`reputation_score`,
  // Byte order, the same on every server whatever its locale.
  name: sql`name collate "C"`,
  similarity: sql`similarity`,
}

/**
 * One page of agents and the exact total in one statement, and so of one moment. Ties are in the order of pda.
 * Throws a DomainError for an input out of bounds.
 */
export async function listAgents(kysely: Kysely<Database>, input: AgentListInput): Promise<Page<AgentRow>> {
  const query = agentQuery(input)
  const statement = query.name === undefined ? pageStatement(query) : searchStatement(query, query.name)
  const { rows } = await statement.execute(kysely)
  return readPage(rows, 'pda', query)
}

/** Keys first, then whole rows for the page alone: a deep offset walks nothing but the index. */
function pageStatement(query: AgentQuery): RawBuilder<PageRow<AgentRow>> {
  const { key, direction } = ordering(query)
  return sql`
    select counted.total, ${agentColumns}
    from (select (${total(query)}) as total) as counted
    left join (
      select pda, ${key} as rank from agents ${where([...fineConditions(query), ...coarseConditions(query)])}
      order by ${key} ${direction}, pda limit ${query.limit} offset ${query.offset}
    ) as page on true
    left join agents on agents.pda = page.pda
    order by page.rank ${direction}, page.pda`
}

/** The matches of a name are found once and serve both the total and the page. */
function searchStatement(query: AgentQuery, name: string): RawBuilder<PageRow<AgentRow>> {
  const { key, direction } = ordering(query)
  return sql`
    with matches as materialized (
      select pda, name, reputation_score, created_at, similarity(name, ${name}) as similarity
      from agents ${where([...fineConditions(query), ...coarseConditions(query)])}
    )
    select counted.total, ${agentColumns}, page.similarity as "nameSimilarity"
    from (select count(*) as total from matches) as counted
    left join (
      select pda, similarity, ${key} as rank from matches
      order by ${key} ${direction}, pda limit ${query.limit} offset ${query.offset}
    ) as page on true
    left join agents on agents.pda = page.pda
    order by page.rank ${direction}, page.pda`
}

function total(query: AgentQuery): RawBuilder<unknown> {
  const fine = fineConditions(query)
  const coarse = coarseConditions(query)
  return fine.length === 0
    ? sql`select coalesce(sum(count), 0)::int8 from agent_counts ${where(coarse)}`
    : sql`select count(*) from agents ${where([...fine, ...coarse])}`
}

function ordering({ sort, order }: AgentQuery): { key: RawBuilder<unknown>; direction: RawBuilder<unknown> } {
  return { key: SORT_KEYS[sort], direction: order === 'asc' ? sql`asc` : sql`desc` }
}
