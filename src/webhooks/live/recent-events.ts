import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Clock } from '../../platform/clock.ts'
import { cachedValue } from '../../platform/async/cached-value.ts'
import type { Database } from '../../db/database.ts'
import { uniqueKeyset } from '../../db/keyset.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isInteger,
  isText,
  readSpan,
} from '../../domain/connection.ts'
import { integerParameter, optional } from '../../domain/parameters.ts'
import {
  type EventFilter,
  eventFilter,
  type EventFilterInput,
  type LiveEvent,
  liveEvent,
  type OutboxRow,
} from './live-event.ts'

const LIST = 'events'
const NOT_COUNTED = () => Promise.reject(new Error('events are not counted'))

/** Minutes of `perMinute`. */
export const MINUTES = 60
export const COUNT_HOURS = { min: 1, max: 168, default: 1 } as const
/** Of more hours, each count has the events of two. */
export const MAX_SINGLE_HOURS = 84
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const readHours = integerParameter(COUNT_HOURS)
/** Of a busier registry, counts of minutes have the newest. */
const MAX_COUNTED = 10_000
const COUNTS_FRESH_MS = 5_000

export function createRecentEvents(kysely: Kysely<Database>, clock: Clock) {
  const counts = cachedValue({
    clock,
    freshMs: COUNTS_FRESH_MS,
    maxAgeMs: COUNTS_FRESH_MS,
    load: () => countPerMinute(kysely),
  })
  return {
    /** The events of each of the last 60 minutes, the oldest minute first. At most 5 s old. */
    perMinute: async () => (await counts.get()).map(({ events }) => events),
    /** Events of each minute or hour of the last hours, oldest first. Throws INVALID_INTEGER. */
    counts: async (given: number | null | undefined): Promise<EventCount[]> => {
      const hours = optional(readHours, 'hours', given) ?? COUNT_HOURS.default
      return hours === 1 ? counts.get() : countPerHour(kysely, hours)
    },
    /**
     * The newest events first, without those that a fork removed. They are not counted: the list
     * has every event. Throws INVALID_CURSOR and what `eventFilter` throws.
     */
    list: async (input: EventFilterInput & ConnectionInput): Promise<Connection<LiveEvent>> => {
      const filter = eventFilter(input)
      const span = readSpan<readonly [number]>(LIST, input, [isInteger])
      const part = (position: RawBuilder<unknown>, more: RawBuilder<unknown>): RawBuilder<unknown> => {
        const { conditions, page } = uniqueKeyset(position, 'desc', span)
        const all = sql.join([more, sql`cancelled_at is null`, ...conditions], sql` and `)
        return sql`select ${position} as position, type, agent_pda as "agentPda", event_id, body
          from outbox_events where ${all} ${page}`
      }
      const { page } = uniqueKeyset(sql`position`, 'desc', span)
      const { rows } = await sql<OutboxRow>`
        select position, type, "agentPda", body,
          (select signature from ledger_events where id = events.event_id) as signature,
          (select name from agents where pda = events."agentPda") as "agentName"
        from (
          (${byIndex(filter, (match) => part(sql`sequence`, sql`restored_sequence is null and ${match}`))})
          union all
          (${part(sql`restored_sequence`, sql`restored_sequence is not null and ${matching(filter)}`)})
        ) as events ${page}`.execute(kysely)
      const events = rows.map((row) => Object.assign(liveEvent(row), { position: row.position }))
      return connectionOf(events, span, ({ position }) => cursorOf(LIST, [position]), NOT_COUNTED)
    },
    /** Null for an unknown event, or one that a fork removed. */
    find: async (id: string): Promise<LiveEvent | null> => {
      if (!isText(id)) return null
      const { rows } = await sql<OutboxRow>`
        select 0 as position, type, agent_pda as "agentPda", body,
          (select signature from ledger_events where ledger_events.id = outbox_events.event_id) as signature,
          (select name from agents where pda = outbox_events.agent_pda) as "agentName"
        from outbox_events where id = ${id} and cancelled_at is null`.execute(kysely)
      return rows[0] === undefined ? null : liveEvent(rows[0])
    },
  }
}

/** The events from a time until the time of the next count. */
export interface EventCount {
  /** ISO 8601. */
  readonly from: string
  readonly events: number
}

/** Reads the end of the primary key: an index by time would cost each write more. */
function countPerMinute(kysely: Kysely<Database>): Promise<EventCount[]> {
  const events = sql`
    select occurred_at as time, 1 as count from outbox_events where cancelled_at is null
    order by sequence desc limit ${sql.lit(MAX_COUNTED)}`
  return sumEvents(kysely, events, { now: sql`now()`, periods: MINUTES, periodMs: MINUTE_MS, rowMs: 0 })
}

/** The last hour is the present one. */
function countPerHour(kysely: Kysely<Database>, hours: number): Promise<EventCount[]> {
  const each = hours > MAX_SINGLE_HOURS ? 2 : 1
  return sumEvents(
    kysely,
    sql`select hour as time, count from registry_hours order by hour desc limit ${hours + 1}`,
    {
      now: sql`date_trunc('hour', now(), 'UTC')`,
      periods: Math.ceil(hours / each),
      periodMs: each * HOUR_MS,
      rowMs: HOUR_MS,
    },
  )
}

interface Periods {
  readonly now: RawBuilder<unknown>
  readonly periods: number
  readonly periodMs: number
  /** The time of a row's events, from that of the row. */
  readonly rowMs: number
}

/** The clock of the ledger can be ahead, on a localnet by days. */
async function sumEvents(
  kysely: Kysely<Database>,
  newest: RawBuilder<unknown>,
  { now, periods, periodMs, rowMs }: Periods,
): Promise<EventCount[]> {
  const { rows } = await sql<{ now: number; ago: number | null; events: number }>`
    with newest as (${newest}), clock as (select greatest(${now}, max(time)) as now from newest)
    select (extract(epoch from now) * 1000)::int8 as now,
      floor(extract(epoch from now - time) * 1000 / ${periodMs})::int as ago, sum(count)::int as events
    from clock left join newest on time > now - ${periods * periodMs} * interval '1 ms'
    group by 1, 2`.execute(kysely)
  const counted = new Map(rows.map(({ ago, events }) => [ago, events]))
  const end = rows[0]!.now + rowMs
  return Array.from({ length: periods }, (_, i) => ({
    from: new Date(end - (periods - i) * periodMs).toISOString(),
    events: counted.get(periods - 1 - i) ?? 0,
  }))
}

/**
 * Events by type are read from the index once for each type: a scan of all events for a rare type
 * would take seconds. The events of one agent have an index of their own.
 */
function byIndex(filter: EventFilter, part: (matches: RawBuilder<unknown>) => RawBuilder<unknown>) {
  if (filter.types === undefined || filter.agentPda !== undefined) return part(matching(filter))
  return sql`select of_type.* from unnest(${[...filter.types]}::text[]) as wanted (type)
    cross join lateral (${part(sql`outbox_events.type = wanted.type`)}) as of_type`
}

function matching({ types, agentPda, agentPdas }: EventFilter): RawBuilder<unknown> {
  const conditions = [sql`true`]
  if (types !== undefined) conditions.push(sql`type = any(${[...types]}::text[])`)
  if (agentPda !== undefined) conditions.push(sql`agent_pda = ${agentPda}`)
  if (agentPdas !== undefined) conditions.push(sql`agent_pda = any(${[...agentPdas]}::text[])`)
  return sql.join(conditions, sql` and `)
}

type UnnamedRow = Omit<OutboxRow, 'agentName'>

/**
 * The rows with the names of their agents. A statement of its own: while a migration locks the
 * agents there are no new events, and the streams must not wait for it.
 */
async function withNames(kysely: Kysely<Database>, rows: readonly UnnamedRow[]): Promise<OutboxRow[]> {
  if (rows.length === 0) return []
  const pdas = [...new Set(rows.map(({ agentPda }) => agentPda))]
  const agents = await kysely.selectFrom('agents').select(['pda', 'name']).where('pda', 'in', pdas).execute()
  const names = new Map(agents.map(({ pda, name }) => [pda, name]))
  return rows.map((row) => ({ ...row, agentName: names.get(row.agentPda) ?? null }))
}

export type EventPage = Awaited<ReturnType<typeof readEvents>>

const PAGE_ROWS = 200
/** Positions that one page covers at most, so that a filter without matches stays cheap. */
const PAGE_POSITIONS = 5_000

const newest = sql`greatest(
  (select coalesce(max(sequence), 0) from outbox_events), (select coalesce(max(restored_sequence), 0) from outbox_events))`

/** The newest position. They grow in commit order, because indexers write one at a time. */
export async function newestPosition(kysely: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ newest: number }>`select ${newest} as newest`.execute(kysely)
  return rows[0]?.newest ?? 0
}

/** The first position of an event. Null if there is no such event. */
export async function positionOf(kysely: Kysely<Database>, id: string): Promise<number | null> {
  const row = await kysely
    .selectFrom('outbox_events')
    .select('sequence')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.sequence ?? null
}

interface Bounds {
  readonly newest: number
  /** The first used position after this page. Each new indexer leaves a gap before its own. */
  readonly next: number | null
}

/**
 * Reads events after a position, in order, without those that a fork removed. `upTo` is the last
 * position that this page covers. The next page starts after it.
 */
export async function readEvents(kysely: Kysely<Database>, after: number, filter: EventFilter) {
  const last = after + PAGE_POSITIONS
  const matches = sql`cancelled_at is null and ${matching(filter)}`
  const { rows } = await sql<Bounds & (UnnamedRow | { position: null })>`
    select bounds.newest, bounds.next, page.*,
      (select signature from ledger_events where id = page.event_id) as signature
    from (select ${newest} as newest, least(
      (select min(sequence) from outbox_events where sequence > ${last}),
      (select min(restored_sequence) from outbox_events where restored_sequence > ${last})) as next) as bounds
    left join (
      (select sequence as position, type, agent_pda as "agentPda", event_id, body from outbox_events
        where sequence > ${after} and sequence <= ${last} and restored_sequence is null and ${matches}
        order by sequence limit ${PAGE_ROWS})
      union all
      (select restored_sequence as position, type, agent_pda as "agentPda", event_id, body from outbox_events
        where restored_sequence > ${after} and restored_sequence <= ${last} and ${matches}
        order by restored_sequence limit ${PAGE_ROWS})
      order by position limit ${PAGE_ROWS}
    ) as page on true
    order by page.position`.execute(kysely)
  const unnamed = rows.filter((row): row is Bounds & UnnamedRow => row.position !== null)
  const found = await withNames(kysely, unnamed)
  if (found.length === PAGE_ROWS) return { rows: found, upTo: found.at(-1)!.position }
  const { newest: newestSeen = 0, next = null } = rows[0] ?? {}
  return { rows: found, upTo: Math.max(after, next === null ? newestSeen : next - 1) }
}
