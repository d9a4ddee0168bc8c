import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { sortedKeyset } from '../db/keyset.ts'
import { countRows } from '../db/read-page.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isText,
  readSpan,
} from '../domain/connection.ts'
import { checkAgentFilter, countedConditions, otherConditions, where } from './agent-filter.ts'
import { agentColumns, type AgentRow } from './agent-row.ts'
import { countOf, isSearch, orderOf, type SortedAgentFilter, SORTS, sortOf } from './list-agents.ts'
import { searchAgents } from './search-agents.ts'
import type { SearchIndex } from './search-index/search-index.ts'

type AgentKey = readonly [value: string | number, pda: string]

/**
 * A page of agents between cursors, in one statement. Throws INVALID_CURSOR and what `listAgents`
 * throws.
 */
export async function listAgentsConnection(
  kysely: Kysely<Database>,
  index: SearchIndex | null,
  input: SortedAgentFilter & ConnectionInput,
): Promise<Connection<AgentRow>> {
  checkAgentFilter(input)
  const sortName = sortOf(input)
  const sort = SORTS[sortName]
  const order = input.order ?? 'desc'
  const list = `agents/${sortName}/${order}`
  const span = readSpan<AgentKey>(list, input, [sort.isValue, isText])
  const cursor = (row: AgentRow): string => cursorOf(list, [sort.value(row), row.pda])
  if (index !== null && isSearch(input)) {
    const { after = null, before = null, backward } = span
    const window = { ...orderOf(input), after, before, backward, offset: 0, limit: span.size + 1 }
    const found = await searchAgents(kysely, index, input, window)
    if (found !== null) return connectionOf(found.rows, span, cursor, async () => found.total)
  }
  const matching = [...otherConditions(input), ...countedConditions(input)]
  const { conditions, page } = sortedKeyset({ ...sort, order }, span)
  const statement = isSearch(input)
    ? sql<AgentRow>`
        with agents as materialized (
          select *, similarity(name, ${input.name}) as similarity from agents ${where(matching)}
        )
        select ${agentColumns}, similarity as "nameSimilarity" from agents ${where(conditions)} ${page}`
    : sql<AgentRow>`select ${agentColumns} from agents ${where([...matching, ...conditions])} ${page}`
  const { rows } = await statement.execute(kysely)
  return connectionOf(rows, span, cursor, () => countRows(kysely, countOf(input)))
}
