import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import type { WebhookEventType } from '../domain/webhook-events.ts'
import type { OutboxRow } from './live-event.ts'

export interface EventFilter {
  /** Undefined is every type. */
  readonly types?: ReadonlySet<WebhookEventType>
  readonly agentPda?: string
}

export interface EventPage {
  readonly rows: OutboxRow[]
  /** All that matches up to here is in `rows`, or was before. */
  readonly upTo: number
}

/** Rows of a page, and places that one statement looks at: a filter that nothing meets costs no more. */
export const EVENTS_PAGE = 200
const WINDOW = 5_000

/** The place of the newest event. Places grow in the order of commit, since indexers write one at a time. */
export async function newestPosition(kysely: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ newest: number }>`select ${newest} as newest`.execute(kysely)
  return rows[0]?.newest ?? 0
}

const newest = sql`greatest(
  (select coalesce(max(sequence), 0) from outbox_events), (select coalesce(max(restored_sequence), 0) from outbox_events))`

/** The first place of an event; null where there is no such event. */
export async function positionOf(kysely: Kysely<Database>, id: string): Promise<number | null> {
  const row = await kysely
    .selectFrom('outbox_events')
    .select('sequence')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.sequence ?? null
}

/** Events after a place, in order, without those that the ledger took back. */
export async function readEvents(
  kysely: Kysely<Database>,
  after: number,
  { types, agentPda }: EventFilter,
): Promise<EventPage> {
  const until = after + WINDOW
  const conditions = [sql`cancelled_at is null`]
  if (types !== undefined) conditions.push(sql`type = any(${[...types]}::text[])`)
  if (agentPda !== undefined) conditions.push(sql`agent_pda = ${agentPda}`)
  const wanted = sql.join(conditions, sql` and `)
  const { rows } = await sql<Counted & (OutboxRow | { position: null })>`
    select counted.newest, counted.next, page.*
    from (select ${newest} as newest, least(
      (select min(sequence) from outbox_events where sequence > ${until}),
      (select min(restored_sequence) from outbox_events where restored_sequence > ${until})) as next) as counted
    left join (
      (select sequence as position, type, agent_pda as "agentPda", body from outbox_events
        where sequence > ${after} and sequence <= ${until} and restored_sequence is null and ${wanted}
        order by sequence limit ${EVENTS_PAGE})
      union all
      (select restored_sequence as position, type, agent_pda as "agentPda", body from outbox_events
        where restored_sequence > ${after} and restored_sequence <= ${until} and ${wanted}
        order by restored_sequence limit ${EVENTS_PAGE})
      order by position limit ${EVENTS_PAGE}
    ) as page on true
    order by page.position`.execute(kysely)
  const found = rows.filter((row): row is Counted & OutboxRow => row.position !== null)
  const last = found.at(-1)
  if (found.length >= EVENTS_PAGE && last !== undefined) return { rows: found, upTo: last.position }
  const [counted] = rows
  const seen = counted?.next == null ? (counted?.newest ?? 0) : counted.next - 1
  return { rows: found, upTo: Math.max(after, seen) }
}

interface Counted {
  newest: number
  /** The first place behind those that were looked at; each leader leaves a gap before its own. */
  next: number | null
}
