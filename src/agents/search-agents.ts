import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { type AgentFilter, conditionsOf } from './agent-filter.ts'
import type { CountedPage } from '../registry/agents-copy.ts'
import { isChanged, serverText, unseenBy } from '../registry/changes.ts'
import { agentColumns, type AgentRow } from '../registry/rows.ts'
import type { Window } from '../registry/table-copy.ts'
import type { NameSearch } from './search-index/name-index.ts'
import type { LocatedAgents } from './search-index/protocol.ts'
import type { SearchIndex } from './search-index/search-index.ts'

/** Each attempt fails only if an agent changes during it. */
const MAX_ATTEMPTS = 8

/**
 * Searches by name with the index. Null if it cannot answer; then PostgreSQL must. The rows and the
 * total are of one moment: in the snapshot in which the rows are read, the index has read
 * everything.
 */
export async function searchAgents(
  kysely: Kysely<Database>,
  index: SearchIndex,
  filter: AgentFilter & { readonly name: string },
  window: Window & Pick<NameSearch, 'sort'>,
): Promise<CountedPage<AgentRow> | null> {
  const { name, owner } = filter
  if ((owner ?? null) !== null) return null
  const search = { ...conditionsOf(filter), ...window }
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const found = await index.search({ name, search, refresh: attempt > 0 })
    if (found === null) return null
    const rows = await readRows(kysely, found, name)
    if (rows !== null) return { total: found.total, rows }
  }
  return null
}

const SERVER = sql.raw(serverText(['agents']))
const IS_CHANGED = sql.raw(
  isChanged(['agents'], '(select first from since)', '(select running from since)::xid8[]'),
)

/** Null if an agent has changed since the index was read. */
async function readRows(
  kysely: Kysely<Database>,
  { pdas, position }: LocatedAgents,
  name: string,
): Promise<AgentRow[] | null> {
  const [first, running] = unseenBy(position)
  const { rows } = await sql<AgentRow & { isCurrent: boolean }>`
    with since as (select ${first}::xid8 as first, ${running}::xid8[] as running)
    select position.is_current as "isCurrent", ${agentColumns}, similarity(agents.name, ${name}) as "nameSimilarity"
    from (select ${SERVER} = ${position.server} and not ${IS_CHANGED} as is_current) as position
    left join unnest(${pdas}::text[]) with ordinality as found (pda, rank) on position.is_current
    left join agents on agents.pda = found.pda
    order by found.rank`.execute(kysely)
  if (rows[0]?.isCurrent !== true) return null
  return pdas.length === 0 ? [] : rows.map(({ isCurrent: _isCurrent, ...row }) => row)
}
