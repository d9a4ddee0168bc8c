import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { uniqueKeyset } from '../db/keyset.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isInteger,
  isText,
  readSpan,
} from '../domain/connection.ts'
import { type EventFilter, eventFilter, type EventFilterInput } from './event-filter.ts'
import { type LiveEvent, liveEvent, type OutboxRow } from './live-event.ts'

export interface RecentEvents {
  /**
   * The newest events first, without those that a fork removed. They are not counted: the list has
   * every event since the start. Throws INVALID_CURSOR and what `eventFilter` throws.
   */
  list(input: EventFilterInput & ConnectionInput): Promise<Connection<LiveEvent>>
  /** Null for an unknown event, or one that a fork removed. */
  find(id: string): Promise<LiveEvent | null>
}

const LIST = 'events'
const NOT_COUNTED = () => Promise.reject(new Error('events are not counted'))

export function createRecentEvents(kysely: Kysely<Database>): RecentEvents {
  return {
    list: async (input) => {
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
          (select signature from ledger_events where id = events.event_id) as signature
        from (
          (${byIndex(filter, (match) => part(sql`sequence`, sql`restored_sequence is null and ${match}`))})
          union all
          (${part(sql`restored_sequence`, sql`restored_sequence is not null and ${matching(filter)}`)})
        ) as events ${page}`.execute(kysely)
      const events = rows.map((row) => Object.assign(liveEvent(row), { position: row.position }))
      return connectionOf(events, span, ({ position }) => cursorOf(LIST, [position]), NOT_COUNTED)
    },
    find: async (id) => {
      if (!isText(id)) return null
      const { rows } = await sql<OutboxRow>`
        select 0 as position, type, agent_pda as "agentPda", body,
          (select signature from ledger_events where ledger_events.id = outbox_events.event_id) as signature
        from outbox_events where id = ${id} and cancelled_at is null`.execute(kysely)
      return rows[0] === undefined ? null : liveEvent(rows[0])
    },
  }
}

/**
 * Events by type are read from the index once for each type: a scan of all events for a rare type
 * would take seconds. The events of one agent have an index of their own.
 */
function byIndex(
  filter: EventFilter,
  part: (matches: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  if (filter.types === undefined || filter.agentPda !== undefined) return part(matching(filter))
  return sql`select of_type.* from unnest(${[...filter.types]}::text[]) as wanted (type)
    cross join lateral (${part(sql`outbox_events.type = wanted.type`)}) as of_type`
}

function matching({ types, agentPda }: EventFilter): RawBuilder<unknown> {
  return sql.join(
    [
      sql`true`,
      ...(types === undefined ? [] : [sql`type = any(${[...types]}::text[])`]),
      ...(agentPda === undefined ? [] : [sql`agent_pda = ${agentPda}`]),
    ],
    sql` and `,
  )
}
