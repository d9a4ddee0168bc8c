import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { type PageRow, readPage, countRows, sortedKeyset } from '../../db/keyset.ts'
import {
  isInteger,
  isText,
  isTime,
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  readSpan,
} from '../../domain/connection.ts'
import { DomainError } from '../../domain/errors.ts'
import { type Order, type Page, type PageBounds, type PageInput, pageBounds } from '../../domain/page.ts'
import {
  type AgentFilter,
  checkAgentFilter,
  conditionsOf,
  countedConditions,
  otherConditions,
  REPUTATION_RANGE,
  searchOf,
  similarityTo,
  where,
} from './agent-filter.ts'
import type { RegistryReader } from '../registry.ts'
import { agentColumns, type AgentRow } from '../rows.ts'
import type { CountedPage, Window } from '../table-copy.ts'
import { isOtherText, type NameWindow } from '../agents-copy.ts'
import { MIN_NAMES } from '../search/name-thread.ts'
import { asciiTrigrams, shownTrigrams } from '../search/trigrams.ts'

export const AGENT_SORTS = ['reputation', 'created_at', 'name'] as const

export interface SortedAgentFilter extends AgentFilter {
  /** Default: similarity in a search by name, created_at otherwise. */
  readonly sort?: (typeof AGENT_SORTS)[number] | null
  /** Default: desc. */
  readonly order?: Order | null
}

/** Where agents are read. */
export interface AgentSources {
  readonly kysely: Kysely<Database>
  readonly registry: RegistryReader
}

interface Sort {
  readonly column: RawBuilder<unknown>
  readonly type: RawBuilder<unknown>
  /** The value of a row in a cursor. */
  readonly value: (row: AgentRow) => string | number
  readonly isValue: (part: unknown) => part is string | number
}

export const SORTS: Record<NonNullable<SortedAgentFilter['sort']> | 'similarity', Sort> = {
  created_at: {
    column: sql`created_at`,
    type: sql`timestamptz`,
    value: (row) => row.createdAt,
    isValue: isTime,
  },
  reputation: {
    column: sql`reputation_score`,
    type: sql`integer`,
    value: (row) => row.reputationScore,
    isValue: (part): part is number =>
      isInteger(part) && part >= REPUTATION_RANGE.min && part <= REPUTATION_RANGE.max,
  },
  // Byte order is the same on every server, whatever its locale.
  name: { column: sql`name collate "C"`, type: sql`text`, value: (row) => row.name, isValue: isText },
  similarity: {
    column: sql`similarity`,
    type: sql`float4`,
    value: (row) => row.nameSimilarity ?? 0,
    isValue: (part): part is number => typeof part === 'number' && part >= 0 && part <= 1,
  },
}

/**
 * One page of agents and the exact total, in one statement. Ties are in the order of pda. Throws
 * the errors of `checkAgentFilter` and `pageBounds`.
 */
export async function listAgents(
  sources: AgentSources,
  input: SortedAgentFilter & PageInput,
): Promise<Page<AgentRow>> {
  checkAgentFilter(input)
  const bounds = pageBounds(input)
  const found = await findInMemory(sources, input, { ...bounds, after: null, before: null, backward: false })
  if (found !== null) return { ...found, ...bounds }
  const { rows } = await pageStatement(input, bounds).execute(sources.kysely)
  return readPage(rows, 'pda', bounds)
}

/** A page and its total. Null if PostgreSQL must read them. */
export async function findInMemory(
  { kysely, registry }: AgentSources,
  input: SortedAgentFilter,
  span: Omit<Window, 'descending'>,
): Promise<CountedPage<AgentRow> | null> {
  const window = { ...span, descending: input.order !== 'asc' }
  const search = searchOf(input)
  if (search !== null)
    return searchAgents({ kysely, registry }, input, search, { ...window, sort: sortOf(input) })
  const { sort, owner } = input
  return registry.read<CountedPage<AgentRow> | null>(
    ({ agents }) =>
      agents.list(conditionsOf(input), owner ?? null, { ...window, sort: sort ?? 'created_at' }),
    async () => null,
  )
}

/** Up to this offset, reading whole rows is faster than reading their keys first. */
const MAX_DIRECT_OFFSET = 200

/**
 * True for the start of the list of all agents, newest first. In orders that no index gives, or
 * with filters, a direct read would read many rows that are not in the page.
 */
function isStartOfNewest(filter: SortedAgentFilter, { offset }: PageBounds): boolean {
  const isNewestFirst = sortOf(filter) === 'created_at' && filter.order !== 'asc'
  const conditions = [
    ...otherConditions(filter),
    ...countedConditions({ ...filter, includeMismatched: true }),
  ]
  return isNewestFirst && offset <= MAX_DIRECT_OFFSET && conditions.length === 0
}

function pageStatement(filter: SortedAgentFilter, bounds: PageBounds): RawBuilder<PageRow<AgentRow>> {
  const { limit, offset } = bounds
  const { column } = SORTS[sortOf(filter)]
  const direction = directionOf(filter)
  const matching = where([...otherConditions(filter), ...countedConditions(filter)])
  const page = sql`order by ${column} ${direction}, pda limit ${limit} offset ${offset}`
  const order = sql`order by page.rank ${direction}, page.pda`
  if (isStartOfNewest(filter, bounds))
    return sql`
      select counted.total, ${agentColumns}
      from (select (${countOf(filter)}) as total) as counted
      left join (select *, ${column} as rank from agents ${matching} ${page}) as agents on true
      order by agents.rank ${direction}, agents.pda`
  const search = searchOf(filter)
  if (search === null) {
    // Keys first, then the rows of the page: a deep offset reads only the index.
    return sql`
      select counted.total, ${agentColumns}
      from (select (${countOf(filter)}) as total) as counted
      left join (select pda, ${column} as rank from agents ${matching} ${page}) as page on true
      left join agents on agents.pda = page.pda
      ${order}`
  }
  // The matches are searched once, for the total and for the page.
  return sql`
    with matches as materialized (
      select pda, name, reputation_score, created_at, ${similarityTo(search)} as similarity
      from agents ${matching}
    )
    select counted.total, ${agentColumns}, page.similarity as "nameSimilarity"
    from (select count(*) as total from matches) as counted
    left join (select pda, similarity, ${column} as rank from matches ${page}) as page on true
    left join agents on agents.pda = page.pda
    ${order}`
}

/** Selects the number of agents that match. */
export function countOf(filter: AgentFilter): RawBuilder<unknown> {
  const other = otherConditions(filter)
  const counted = countedConditions(filter)
  return other.length === 0
    ? sql`select coalesce(sum(count), 0)::int8 from agent_counts ${where(counted)}`
    : sql`select count(*) from agents ${where([...other, ...counted])}`
}

export function sortOf(filter: SortedAgentFilter): keyof typeof SORTS {
  return filter.sort ?? (searchOf(filter) === null ? 'created_at' : 'similarity')
}

function directionOf({ order }: SortedAgentFilter): RawBuilder<unknown> {
  return order === 'asc' ? sql`asc` : sql`desc`
}

/** Searches names in memory. Null if PostgreSQL must. Throws WORDS_NOT_READY. */
async function searchAgents(
  { kysely, registry }: AgentSources,
  filter: AgentFilter,
  { text, by }: NonNullable<ReturnType<typeof searchOf>>,
  window: Omit<NameWindow, 'by'>,
): Promise<CountedPage<AgentRow> | null> {
  if ((filter.owner ?? null) !== null) return null
  const trigrams = isOtherText(text) ? await readTrigrams(kysely, text) : asciiTrigrams(text)
  return registry.read<CountedPage<AgentRow> | null>(
    ({ agents }) => agents.search(trigrams, conditionsOf(filter), { ...window, by }),
    async () => {
      if (by === 'words') await checkFewNames(kysely)
      return null
    },
  )
}

/** No index helps PostgreSQL to find words. It compares 1,000 names in 4 to 11 ms. */
async function checkFewNames(kysely: Kysely<Database>): Promise<void> {
  const { rows } = await sql<{ few: boolean }>`
    select coalesce(sum(count), 0) <= ${MIN_NAMES} as few from agent_counts`.execute(kysely)
  if (rows[0]?.few !== true) throw new DomainError('WORDS_NOT_READY', {}, { retryAfterSeconds: 10 })
}

/** The trigrams of a text of any script. */
async function readTrigrams(kysely: Kysely<Database>, text: string): Promise<number[]> {
  const { rows } = await sql<{ trigrams: string[] }>`select show_trgm(${text}) as trigrams`.execute(kysely)
  return shownTrigrams(rows[0]!.trigrams)
}

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
  const search = searchOf(input)
  const statement =
    search === null
      ? sql<AgentRow>`select ${agentColumns} from agents ${where([...matching, ...conditions])} ${page}`
      : sql<AgentRow>`
          with agents as materialized (
            select *, ${similarityTo(search)} as similarity from agents ${where(matching)}
          )
          select ${agentColumns}, similarity as "nameSimilarity" from agents ${where(conditions)} ${page}`
  const { rows } = await statement.execute(sources.kysely)
  return connectionOf(rows, span, cursor, () => countRows(sources.kysely, countOf(input)))
}
