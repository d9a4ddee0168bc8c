import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { uniqueKeyset } from '../db/keyset.ts'
import { countRows, type PageRow, readPage } from '../db/read-page.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isText,
  readSpan,
} from '../domain/connection.ts'
import { DomainError } from '../domain/errors.ts'
import type { HistoryEventType } from '../domain/history-events.ts'
import { type Page, type PageBounds, type PageInput, pageBounds } from '../domain/page.ts'
import { pubkeyParameter } from '../domain/parameters.ts'

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
  const rows = await selectPages(kysely, [key], query)
  if (rows[0]?.known !== true) throw new DomainError('AGENT_NOT_FOUND')
  return readPage<HistoryRow>(rows, 'eventType', query)
}

/** The same page of the histories of several agents, in one statement. */
export async function getHistories(
  kysely: Kysely<Database>,
  pdas: readonly string[],
  query: HistoryFilter & PageBounds,
): Promise<Map<string, Page<HistoryRow>>> {
  const byAgent = Map.groupBy(await selectPages(kysely, pdas, query), (row) => row.key)
  return new Map(Array.from(byAgent, ([pda, rows]) => [pda, readPage<HistoryRow>(rows, 'eventType', query)]))
}

async function selectPages(
  kysely: Kysely<Database>,
  pdas: readonly string[],
  query: HistoryFilter & PageBounds,
): Promise<(PageRow<HistoryRow> & { key: string; known: boolean })[]> {
  const key = sql`keys.key`
  const entries = entriesOf(key, query)
  // Without `offset 0` the planner inlines the count and repeats it for every entry of the page.
  const { rows } = await sql<PageRow<HistoryRow> & { key: string; known: boolean }>`
    select keys.key, counted.total, counted.known, entries.*
    from unnest(${pdas}::text[]) as keys (key)
    cross join lateral (
      select (select count(*) ${entries}) as total, ${isKnown(key)} as known offset 0
    ) as counted
    left join lateral (
      select ${ENTRY_COLUMNS} ${entries}
      order by position desc limit ${query.limit} offset ${query.offset}
    ) as entries on true
    order by keys.key, entries.position desc`.execute(kysely)
  return rows
}

/** A page of entries between cursors. Throws INVALID_CURSOR and what `getAgentHistory` throws. */
export async function listHistoryConnection(
  kysely: Kysely<Database>,
  pda: string,
  input: HistoryFilter & ConnectionInput,
): Promise<Connection<HistoryRow>> {
  const key = sql`${pubkeyParameter('pda', pda)}`
  const list = input.orphaned === true ? 'orphaned-history' : 'history'
  const span = readSpan<readonly [string]>(list, input, [isText])
  const { conditions, page } = uniqueKeyset(sql`position`, 'desc', span)
  const entries = entriesOf(key, input)
  const { rows } = await sql<{ known: boolean } & (HistoryRow | { position: null })>`
    select counted.known, entries.*
    from (select ${isKnown(key)} as known) as counted
    left join (
      select ${ENTRY_COLUMNS} ${entries} ${sql.join(
        conditions.map((each) => sql`and ${each}`),
        sql` `,
      )} ${page}
    ) as entries on true
    order by entries.position ${span.backward ? sql`asc` : sql`desc`}`.execute(kysely)
  if (rows[0]?.known !== true) throw new DomainError('AGENT_NOT_FOUND')
  return connectionOf(
    rows.filter((row) => row.position !== null),
    span,
    (row) => cursorOf(list, [row.position]),
    () => countRows(kysely, sql`select count(*) ${entries}`),
  )
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
