import { type Kysely, type RawBuilder, sql } from 'kysely'
import { AGENT_STATUSES } from '@agent-registry/program'
import type { Database } from '../db/database.ts'
import type { AgentFilter } from './agent-filter.ts'
import { agentColumns, type AgentRow } from './agent-row.ts'
import type { NameSearch } from './search-index/name-index.ts'
import type { IndexPosition, LocatedAgents } from './search-index/protocol.ts'
import type { SearchIndex } from './search-index/search-index.ts'

/** The part of a search that is not a filter. */
export type SearchWindow = Pick<
  NameSearch,
  'sort' | 'descending' | 'after' | 'before' | 'backward' | 'offset' | 'limit'
>

export interface FoundPage {
  readonly total: number
  readonly rows: AgentRow[]
}

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
  window: SearchWindow,
): Promise<FoundPage | null> {
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

/** Null if an agent has changed since the index was read. */
async function readRows(
  kysely: Kysely<Database>,
  { pdas, position }: LocatedAgents,
  name: string,
): Promise<AgentRow[] | null> {
  const { rows } = await sql<AgentRow & { isCurrent: boolean }>`
    select position.is_current as "isCurrent", ${agentColumns}, similarity(agents.name, ${name}) as "nameSimilarity"
    from (select ${isCurrent(position)} as is_current) as position
    left join unnest(${pdas}::text[]) with ordinality as found (pda, rank) on position.is_current
    left join agents on agents.pda = found.pda
    order by found.rank`.execute(kysely)
  if (rows[0]?.isCurrent !== true) return null
  return pdas.length === 0 ? [] : rows.map(({ isCurrent: _isCurrent, ...row }) => row)
}

function isCurrent({ server, floor, applied }: IndexPosition): RawBuilder<unknown> {
  // `order by` makes PostgreSQL read the index also if it does not know the floor when it plans.
  const changed = (table: string) => sql`(
    select search_xid from ${sql.table(table)}
    where search_xid >= ${floor}::xid8 and search_xid <> all(${applied}::xid8[])
      and pg_visible_in_snapshot(search_xid, pg_current_snapshot())
    order by search_xid limit 1)`
  return sql`extract(epoch from pg_postmaster_start_time())::text = ${server}
    and ${changed('agents')} is null and ${changed('removed_agents')} is null`
}

function conditionsOf(filter: AgentFilter): Omit<NameSearch, keyof SearchWindow> {
  const { tier, tiers, status, statuses, category, categories } = filter
  const isInactive = status === 'inactive'
  return {
    tiers: both(tier, tiers),
    statuses: both(
      isInactive ? null : status,
      statuses?.flatMap((each) => (each === 'inactive' ? INACTIVE : [each])),
    ),
    exceptStatus: isInactive ? 'active' : null,
    categories: both(category, categories),
    includeMismatched: filter.includeMismatched === true,
    minReputation: filter.minReputation ?? null,
    maxReputation: filter.maxReputation ?? null,
  }
}

const INACTIVE = AGENT_STATUSES.filter((each) => each !== 'active')

/** The values that meet both conditions. Null if there is none. */
function both(one: string | null | undefined, list: readonly string[] | null | undefined): string[] | null {
  if (list === undefined || list === null) return one === undefined || one === null ? null : [one]
  return list.filter((each) => one === undefined || one === null || each === one)
}
