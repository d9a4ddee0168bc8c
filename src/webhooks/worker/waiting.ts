import { type RawBuilder, sql } from 'kysely'

/** Networks that one claim visits. The next claim continues with the following ones. */
export const MAX_NETWORKS = 256
/** Endpoints that one claim visits in one direction, divided among the networks. */
const MAX_ENDPOINTS = 512
/** With more waiting endpoints than this, networks take turns. */
export const MAX_AT_ONCE = 128
/** Larger than every id. */
const END = '~'

/*
 * Both give the common table expression `waiting (network, subscription_id)`: endpoints with
 * deliveries of this status. They step through an index from one endpoint to the next, so that a
 * long backlog of one endpoint costs others nothing. (`lateral … limit 1` prevents full scans by a
 * plan for few webhooks.)
 */

/** The first endpoints, in the order of the index. */
export const firstWaiting = (status: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  waiting (network, subscription_id, visited) as (
    (select d.network, d.subscription_id, 1 from webhook_queue d
      where d.status = ${status} order by d.network, d.subscription_id limit 1)
    union all
    select following.network, following.subscription_id, w.visited + 1
    from waiting w cross join lateral (
      select d.network, d.subscription_id from webhook_queue d
      where d.status = ${status} and (d.network, d.subscription_id) > (w.network, w.subscription_id)
      order by d.network, d.subscription_id limit 1
    ) following
    where w.visited < ${sql.lit(MAX_AT_ONCE)}
  )`

/**
 * Endpoints of each network after `after`, so that many endpoints of one network cost others
 * nothing. In each network they begin at the random id `start`.
 */
export function waitingByNetwork(
  status: RawBuilder<unknown>,
  after: string,
  start: string,
): RawBuilder<unknown> {
  /** The first endpoints of the network `n` between two ids. */
  const endpointsOf = (from: string, to: string) => sql`
    (with recursive endpoints (subscription_id, visited) as (
      (select d.subscription_id, 1 from webhook_queue d
        where d.status = ${status} and d.network = n.network
          and d.subscription_id > ${from} and d.subscription_id <= ${to}
        order by d.subscription_id limit 1)
      union all
      select following.subscription_id, e.visited + 1
      from endpoints e cross join lateral (
        select d.subscription_id from webhook_queue d
        where d.status = ${status} and d.network = n.network
          and d.subscription_id > e.subscription_id and d.subscription_id <= ${to}
        order by d.subscription_id limit 1
      ) following
      where e.visited < n.endpoints
    )
    select subscription_id from endpoints)`
  return sql`
    networks (network, visited) as (
      (select d.network, 1 from webhook_queue d
        where d.status = ${status} and d.network > ${after} order by d.network limit 1)
      union all
      select following.network, n.visited + 1
      from networks n cross join lateral (
        select d.network from webhook_queue d
        where d.status = ${status} and d.network > n.network order by d.network limit 1
      ) following
      where n.visited < ${sql.lit(MAX_NETWORKS)}
    ),
    waiting as (
      select n.network, e.subscription_id
      from (
        select network, greatest(1, ${sql.lit(MAX_ENDPOINTS)} / (select count(*) from networks)) as endpoints from networks
      ) n
      cross join lateral (${endpointsOf(start, END)} union all ${endpointsOf('', start)}) e
    )`
}
