import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { clientNetwork } from '../../domain/client-network.ts'
import { countRequest, stateAt } from '../../platform/rate-limits/gcra.ts'
import { rateLimited } from '../../platform/rate-limits/rate-limits.ts'

/** Who requests a delivery. */
export interface Caller {
  readonly wallet: Pubkey
  readonly clientIp: string
}

/**
 * Charges up to `wanted` deliveries that a caller requests, and returns how many it may have. Its
 * wallet and its client network have the same limit per minute, so new wallets and new networks get
 * no more. `db` is the transaction of the deliveries. Throws RATE_LIMITED if none is left.
 */
export async function chargeSends(
  db: Kysely<Database>,
  { wallet, clientIp }: Caller,
  wanted: number,
  limit: number | null,
): Promise<number> {
  if (limit === null) return wanted
  // Inserts or locks both rows, in one order, so that two callers never wait for each other.
  const { rows } = await sql<{ client: string; arrival: number; now: number }>`
    insert into rate_limits as r (kind, client, arrival)
    select 'sends', client, 0 from unnest(${[wallet, clientNetwork(clientIp)]}::text[]) as client order by client
    on conflict (kind, client) do update set arrival = r.arrival
    returning client, arrival, extract(epoch from clock_timestamp())::float8 * 1000 as now`.execute(db)
  const left = rows.map(({ arrival, now }) => stateAt(Math.max(arrival, now), now, limit, true).remaining)
  const granted = Math.min(wanted, ...left)
  const counted = rows.map(({ client, arrival: before, now }) => {
    const { arrival, state } = countRequest(before, now, limit, Math.max(1, granted))
    return { client, arrival, state }
  })
  const refusals = counted.filter(({ state }) => !state.allowed).map(({ state }) => state)
  const [longest] = refusals.toSorted((a, b) => b.resetSeconds - a.resetSeconds)
  if (longest !== undefined) throw rateLimited(longest)
  await sql`
    update rate_limits r set arrival = c.arrival
    from json_to_recordset(${JSON.stringify(counted)}::json) as c(client text, arrival float8)
    where r.kind = 'sends' and r.client = c.client`.execute(db)
  return granted
}
