import { type Kysely, sql } from 'kysely'
import type { Database } from './database.ts'
import { type SharedCounter, stateAt } from '../platform/rate-limits/rate-limits.ts'

const CLEAN_EVERY = 1_000
/** In milliseconds, read after the wait for a row: others may have counted during the wait. */
const NOW = sql<number>`(extract(epoch from clock_timestamp())::float8 * 1000)`

/**
 * Counts requests of all processes in the database, with its clock. One statement per allowed
 * request.
 */
export function createRateLimitCounter(kysely: Kysely<Database>): SharedCounter {
  let counted = 0
  return async (kind, client, limit) => {
    if (++counted % CLEAN_EVERY === 0) await deleteFullLimits(kysely)
    const step = 60_000 / limit
    // The condition keeps the row of a client that has used its limit, so a refusal writes nothing.
    const { rows } = await sql<{ now: number; arrival: number | null }>`
      with counted as (
        insert into rate_limits as r (kind, client, arrival)
        values (${kind}, ${client}, ${NOW} + ${step}::float8)
        on conflict (kind, client) do update
          set arrival = greatest(r.arrival, ${NOW}) + ${step}::float8
          where r.arrival - ${NOW} <= 60000.5 - ${step}::float8
        returning arrival
      )
      select ${NOW} as now, counted.arrival from (select) as one left join counted on true`.execute(kysely)
    const [row] = rows
    if (row === undefined) throw new Error('the rate limit statement returned no row')
    if (row.arrival !== null) return stateAt(row.arrival, row.now, limit, true)
    // The statement saw an older row than its condition did, so the row is read again.
    const stored = await kysely
      .selectFrom('rate_limits')
      .select('arrival')
      .where('kind', '=', kind)
      .where('client', '=', client)
      .executeTakeFirst()
    return stateAt(stored?.arrival ?? row.now, row.now, limit, false)
  }
}

/** Deletes the rows of clients that have their whole limit again. */
async function deleteFullLimits(kysely: Kysely<Database>): Promise<void> {
  await sql`
    delete from rate_limits where (kind, client) in (
      select kind, client from rate_limits
      where arrival < ${NOW} limit 10000 for update skip locked
    )`.execute(kysely)
}
