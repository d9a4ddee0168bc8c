import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  firstOf,
  isText,
  keyAfter,
} from '../domain/connection.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import { type HistoryInput, historyQuery, type HistoryRow } from './agent-history.ts'

export type HistoryWalkInput = ConnectionInput & Pick<HistoryInput, 'eventType' | 'orphaned'>

/** An agent's history after a cursor, newest first, in one statement. Throws what `getAgentHistory` throws, and INVALID_CURSOR. */
export async function walkHistory(
  kysely: Kysely<Database>,
  pda: string,
  input: HistoryWalkInput,
): Promise<Connection<HistoryRow>> {
  const key = pubkeyParameter('pda', pda)
  const { eventType, orphaned } = historyQuery({ eventType: input.eventType, orphaned: input.orphaned })
  const first = firstOf(input)
  const list = orphaned === true ? 'orphaned-history' : 'history'
  const [after] = keyAfter<readonly [string]>(list, input, [isText]) ?? []
  const history = sql.table(orphaned === true ? 'orphaned_history' : 'agent_history')
  const conditions = [sql`agent_pda = ${key}`]
  if (eventType !== undefined) conditions.push(sql`event_type = ${eventType}`)
  if (after !== undefined) conditions.push(sql`position < ${after}`)
  const { rows } = await sql<
    ({ position: string } & HistoryRow & { known: boolean }) | { position: null; known: boolean }
  >`
    select counted.known, entries.*
    from (select exists (select from agents where pda = ${key})
      or exists (select from agent_history where agent_pda = ${key}) as known) as counted
    left join (
      select event_type as "eventType", agent_pda as "agentPda", old_value as "oldValue",
        new_value as "newValue", delta, occurred_at as "timestamp", position
      from ${history} where ${sql.join(conditions, sql` and `)}
      order by position desc limit ${first + 1}
    ) as entries on true
    order by entries.position desc`.execute(kysely)
  if (rows[0]?.known !== true) throw new DomainError('AGENT_NOT_FOUND')
  return connectionOf(
    rows.filter((row) => row.position !== null),
    first,
    (row) => cursorOf(list, [row.position]),
  )
}
