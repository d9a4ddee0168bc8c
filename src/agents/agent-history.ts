import { type Kysely, sql } from 'kysely'
import { HISTORY_EVENT_TYPES, type HistoryEventType } from '../domain/history-events.ts'
import { type PageRow, readPage } from '../db/read-page.ts'
import type { Database } from '../db/database.ts'
import { type Page, type PageBounds, type PageInput, pageBounds } from '../domain/page.ts'
import { enumParameter, optional, pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'

/** One entry of an agent's history. */
export interface HistoryRow {
  eventType: HistoryEventType
  agentPda: string
  oldValue: string
  newValue: string
  /** Signed like `+12` or `-5`; only of reputation_updated. */
  delta: string | null
  timestamp: string
}

export interface HistoryInput extends PageInput {
  readonly eventType?: string | null
  /** What forks took back, in place of what counts. */
  readonly orphaned?: boolean | null
}

export interface HistoryQuery extends PageBounds {
  readonly eventType?: HistoryEventType
  readonly orphaned?: boolean
}

type Result = PageRow<HistoryRow> & { key: string; known: boolean }

export function historyQuery(input: HistoryInput): HistoryQuery {
  return {
    eventType: optional(enumParameter(HISTORY_EVENT_TYPES), 'eventType', input.eventType),
    orphaned: input.orphaned === true,
    ...pageBounds(input),
  }
}

/** Newest first; stays readable after the agent is closed. Throws AGENT_NOT_FOUND where neither agent nor history is. */
export async function getAgentHistory(
  kysely: Kysely<Database>,
  pda: string,
  input: HistoryInput,
): Promise<Page<HistoryRow>> {
  const key = pubkeyParameter('pda', pda)
  const query = historyQuery(input)
  const rows = await select(kysely, [key], query)
  if (rows[0]?.known !== true) throw new DomainError('AGENT_NOT_FOUND')
  return readPage<HistoryRow>(rows, 'eventType', query)
}

/** The same page of several agents' histories, in one statement. */
export async function getHistories(
  kysely: Kysely<Database>,
  pdas: readonly string[],
  query: HistoryQuery,
): Promise<Map<string, Page<HistoryRow>>> {
  const byAgent = Map.groupBy(await select(kysely, pdas, query), (row) => row.key)
  return new Map(Array.from(byAgent, ([pda, rows]) => [pda, readPage<HistoryRow>(rows, 'eventType', query)]))
}

async function select(
  kysely: Kysely<Database>,
  pdas: readonly string[],
  { eventType, orphaned = false, limit, offset }: HistoryQuery,
): Promise<Result[]> {
  const history = sql.table(orphaned ? 'orphaned_history' : 'agent_history')
  const ofKey = sql`agent_pda = keys.key`
  const matching = eventType === undefined ? ofKey : sql`${ofKey} and event_type = ${eventType}`
  // Without `offset 0` the planner would pull the count up and count again for every entry of the page.
  const { rows } = await sql<Result>`
    select keys.key, counted.total, counted.known, entries.*
    from unnest(${pdas}::text[]) as keys (key)
    cross join lateral (
      select (select count(*) from ${history} where ${matching}) as total,
        exists (select from agents where pda = keys.key)
          or exists (select from agent_history where ${ofKey}) as known
      offset 0
    ) as counted
    left join lateral (
      select event_type as "eventType", agent_pda as "agentPda", old_value as "oldValue",
        new_value as "newValue", delta, occurred_at as "timestamp", position
      from ${history} where ${matching}
      order by position desc limit ${limit} offset ${offset}
    ) as entries on true
    order by keys.key, entries.position desc`.execute(kysely)
  return rows
}
