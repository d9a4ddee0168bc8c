import { sql } from 'kysely'
import { countRows, sortedKeyset } from '../../db/keyset.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isText,
  readSpan,
} from '../../domain/connection.ts'
import { checkAgentFilter, countedConditions, otherConditions, where } from './agent-filter.ts'
import { agentColumns, type AgentRow } from '../rows.ts'
import {
  type AgentSources,
  countOf,
  findInMemory,
  isSearch,
  type SortedAgentFilter,
  sortOf,
  SORTS,
} from './list-agents.ts'

type AgentKey = readonly [value: string | number, pda: string]

/**
 * A page of agents between cursors, in one statement. Throws INVALID_CURSOR and what `listAgents`
 * throws.
 */
export async function listAgentsConnection(
  sources: AgentSources,
  input: SortedAgentFilter & ConnectionInput,
): Promise<Connection<AgentRow>> {
  checkAgentFilter(input)
  const sortName = sortOf(input)
  const sort = SORTS[sortName]
  const order = input.order ?? 'desc'
  const list = `agents/${sortName}/${order}`
  const span = readSpan<AgentKey>(list, input, [sort.isValue, isText])
  const cursor = (row: AgentRow): string => cursorOf(list, [sort.value(row), row.pda])
  const { after = null, before = null, backward } = span
  const window = { after, before, backward, offset: 0, limit: span.size + 1 }
  const found = await findInMemory(sources, input, window)
  if (found !== null) return connectionOf(found.rows, span, cursor, async () => found.total)
  const matching = [...otherConditions(input), ...countedConditions(input)]
  const { conditions, page } = sortedKeyset({ ...sort, order }, span)
  const statement = isSearch(input)
    ? sql<AgentRow>`
        with agents as materialized (
          select *, similarity(name, ${input.name}) as similarity from agents ${where(matching)}
        )
        select ${agentColumns}, similarity as "nameSimilarity" from agents ${where(conditions)} ${page}`
    : sql<AgentRow>`select ${agentColumns} from agents ${where([...matching, ...conditions])} ${page}`
  const { rows } = await statement.execute(sources.kysely)
  return connectionOf(rows, span, cursor, () => countRows(sources.kysely, countOf(input)))
}
