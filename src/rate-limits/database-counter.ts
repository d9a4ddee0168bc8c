import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/tables.ts'
import { type RateLimitState, stateAt } from './gcra.ts'

const CLEAN_EVERY = 1_000

/** Counts for all processes on a database, in one statement a request and by the database's clock. */
export function createDatabaseCounter(
  kysely: Kysely<Database>,
): (kind: string, client: string, limit: number) => Promise<RateLimitState> {
  let counted = 0
  return async (kind, client, limit) => {
    if (++counted % CLEAN_EVERY === 0) await forget(kysely)
    const step = 60_000 / limit
    // A row that is a whole minute ahead stays as it is: the condition makes the refusal a statement without a write.
    const { rows } = await sql<{ now: number; arrival: number; allowed: boolean }>`
      with at as (select extract(epoch from clock_timestamp())::float8 * 1000 as now),
      counted as (
        insert into rate_limits as r (kind, client, arrival)
        select ${kind}, ${client}, at.now + ${step}::float8 from at
        on conflict (kind, client) do update
          set arrival = greatest(r.arrival, excluded.arrival - ${step}::float8) + ${step}::float8
          where greatest(r.arrival, excluded.arrival - ${step}::float8) - (excluded.arrival - ${step}::float8) + ${step}::float8 <= 60000.5
        returning arrival
      )
      select at.now, counted.arrival is not null as allowed,
        coalesce(counted.arrival, (select arrival from rate_limits where kind = ${kind} and client = ${client}), at.now) as arrival
      from at left join counted on true`.execute(kysely)
    const [row] = rows
    if (row === undefined) throw new Error('the rate limit statement answered no row')
    return stateAt(row.arrival, row.now, limit, row.allowed)
  }
}

/** Rows whose client has its whole limit again say nothing. */
async function forget(kysely: Kysely<Database>): Promise<void> {
  await sql`
    delete from rate_limits where (kind, client) in (
      select kind, client from rate_limits
      where arrival < extract(epoch from clock_timestamp()) * 1000 limit 10000 for update skip locked
    )`.execute(kysely)
}
