import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { countRows, type PageRow, readPage, uniqueKeyset } from '../../db/keyset.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isText,
  readSpan,
} from '../../domain/connection.ts'
import { DomainError } from '../../domain/errors.ts'
import type { HistoryEventType } from '../../domain/history-events.ts'
import { type Page, type PageBounds, pageBounds, type PageInput } from '../../domain/page.ts'
import { pubkeyParameter } from '../../domain/parameters.ts'

/** One entry of an agent's history. */
export interface HistoryRow {
  eventId: string
  eventType: HistoryEventType
  agentPda: string
  oldValue: string
  newValue: string
  /** Signed, like `+12` or `-5`. Only in entries of reputation_updated. */
  delta: string | null
  timestamp: string
  /** Place on the ledger, which begins with the slot in 20 digits. */
  position: string
}

export interface HistoryFilter {
  readonly eventType?: HistoryEventType | null
  /** Returns the entries that forks removed, in place of the valid ones. */
  readonly orphaned?: boolean | null
}

const ENTRY_COLUMNS = sql`event_id as "eventId", event_type as "eventType", agent_pda as "agentPda", old_value as "oldValue",
  new_value as "newValue", delta, occurred_at as "timestamp", position`

function entriesOf(agentPda: RawBuilder<unknown>, { eventType, orphaned }: HistoryFilter) {
  const table = sql.table(orphaned === true ? 'orphaned_history' : 'agent_history')
  const ofType = eventType === undefined || eventType === null ? sql`` : sql`and event_type = ${eventType}`
  return sql`from ${table} where agent_pda = ${agentPda} ${ofType}`
}

function isKnown(agentPda: RawBuilder<unknown>) {
  return sql`exists (select from agents where pda = ${agentPda})
    or exists (select from agent_history where agent_pda = ${agentPda})`
}

/**
 * Newest first. Closed agents keep their history. Throws AGENT_NOT_FOUND if there is neither agent
 * nor history.
 */
export async function getAgentHistory(
  kysely: Kysely<Database>,
  pda: string,
  input: HistoryFilter & PageInput,
): Promise<Page<HistoryRow>> {
  const key = pubkeyParameter('pda', pda)
  const query = { ...input, ...pageBounds(input) }
  const rows = await selectPage(kysely, key, query)
  if (rows[0]?.known !== true) throw new DomainError('AGENT_NOT_FOUND')
  return readPage<HistoryRow>(rows, 'eventType', query)
}

async function selectPage(
  kysely: Kysely<Database>,
  pda: string,
  query: HistoryFilter & PageBounds,
): Promise<(PageRow<HistoryRow> & { known: boolean })[]> {
  const key = sql`${pda}`
  const entries = entriesOf(key, query)
  const { rows } = await sql<PageRow<HistoryRow> & { known: boolean }>`
    select counted.total, counted.known, entries.*
    from (select (select count(*) ${entries}) as total, ${isKnown(key)} as known) as counted
    left join (
      select ${ENTRY_COLUMNS} ${entries}
      order by position desc limit ${query.limit} offset ${query.offset}
    ) as entries on true
    order by entries.position desc`.execute(kysely)
  return rows
}

/** A page of entries between cursors. Throws INVALID_CURSOR and what `getAgentHistory` throws. */
export async function listHistoryConnection(
  kysely: Kysely<Database>,
  pda: string,
  input: HistoryFilter & ConnectionInput,
): Promise<Connection<HistoryRow>> {
  const [page] = await selectConnections(kysely, [pubkeyParameter('pda', pda)], input)
  if (page === null || page === undefined) throw new DomainError('AGENT_NOT_FOUND')
  return page
}

/** The same page of the histories of several agents, in one statement. */
export async function listHistoryConnections(
  kysely: Kysely<Database>,
  pdas: readonly string[],
  input: HistoryFilter & ConnectionInput,
): Promise<Connection<HistoryRow>[]> {
  const pages = await selectConnections(kysely, pdas, input)
  return pages.map((page) => page ?? NO_ENTRIES)
}

const NO_ENTRIES: Connection<HistoryRow> = {
  edges: [],
  hasNextPage: false,
  hasPreviousPage: false,
  count: () => Promise.resolve(0),
}

/** Null for an agent that was never registered. */
async function selectConnections(
  kysely: Kysely<Database>,
  pdas: readonly string[],
  input: HistoryFilter & ConnectionInput,
): Promise<(Connection<HistoryRow> | null)[]> {
  const list = input.orphaned === true ? 'orphaned-history' : 'history'
  const span = readSpan<readonly [string]>(list, input, [isText])
  const { conditions, page } = uniqueKeyset(sql`position`, 'desc', span)
  const key = sql`keys.key`
  const { rows } = await sql<{ key: string; known: boolean } & (HistoryRow | { position: null })>`
    select keys.key, agent.known, entries.*
    from unnest(${pdas}::text[]) as keys (key)
    cross join lateral (select ${isKnown(key)} as known offset 0) as agent
    left join lateral (
      select ${ENTRY_COLUMNS} ${entriesOf(key, input)} ${sql.join(
        conditions.map((each) => sql`and ${each}`),
        sql` `,
      )} ${page}
    ) as entries on true
    order by keys.key, entries.position ${span.backward ? sql`asc` : sql`desc`}`.execute(kysely)
  const byAgent = Map.groupBy(rows, (row) => row.key)
  return pdas.map((pda) => {
    const found = byAgent.get(pda) ?? []
    if (found[0]?.known !== true) return null
    return connectionOf(
      found.filter((row) => row.position !== null),
      span,
      (row) => cursorOf(list, [row.position]),
      () => countRows(kysely, sql`select count(*) ${entriesOf(sql`${pda}`, input)}`),
    )
  })
}

/** Null for an unknown entry, or one that a fork removed. */
export async function findHistoryEntry(kysely: Kysely<Database>, id: string): Promise<HistoryRow | null> {
  if (!isText(id)) return null
  const { rows } = await sql<HistoryRow>`
    select ${ENTRY_COLUMNS} from agent_history where event_id = ${id}`.execute(kysely)
  return rows[0] ?? null
}

/** The signatures of the transactions of these entries, by event id. */
export async function findSignatures(
  kysely: Kysely<Database>,
  eventIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; signature: string }>`
    select id, signature from ledger_events where id = any(${eventIds}::text[])`.execute(kysely)
  return new Map(rows.map(({ id, signature }) => [id, signature]))
}
