import { type RawBuilder, sql } from 'kysely'
import { FAST_MS, type Lane } from './lanes.ts'

/** Networks that one claim visits. The next claim continues with the following ones. */
export const MAX_NETWORKS = 256
/** Endpoints that one claim visits in one direction, divided among the networks. */
const MAX_ENDPOINTS = 512
/** Larger than every id. */
const END = '~'

/**
 * The common table expressions that find due deliveries. `attempts` has a row for each endpoint
 * with attempts in flight (`id` is null), so that these count, and for each due delivery.
 *
 * They step through an index, network by network and endpoint by endpoint, so that a long backlog
 * of one endpoint, or of many endpoints of one network, costs others nothing. In each network they
 * begin at the random id `start`. (`lateral … limit 1` prevents full scans by a plan for few
 * webhooks.)
 */
export function dueAttempts(options: {
  status: RawBuilder<unknown>
  after: string
  start: string
  perEndpoint: number
  free: Readonly<Record<Lane, number>>
  lease: RawBuilder<unknown>
}): RawBuilder<unknown> {
  const { status, after, start, perEndpoint, free, lease } = options
  /** The first endpoints of the network `n` between two ids. */
  const endpointsOf = (from: string, to: string) => sql`
    (with recursive endpoints (subscription_id, visited) as (
      (select d.subscription_id, 1 from webhook_deliveries d
        where d.status = ${status} and d.network = n.network
          and d.subscription_id > ${from} and d.subscription_id <= ${to}
        order by d.subscription_id limit 1)
      union all
      select following.subscription_id, e.visited + 1
      from endpoints e cross join lateral (
        select d.subscription_id from webhook_deliveries d
        where d.status = ${status} and d.network = n.network
          and d.subscription_id > e.subscription_id and d.subscription_id <= ${to}
        order by d.subscription_id limit 1
      ) following
      where e.visited < n.endpoints
    )
    select subscription_id from endpoints)`
  const subscription = sql`
    select id as subscription_id, wallet, coalesce(network, wallet) as network, coalesce(site, host) as site, active,
      deleted_at, paused_until, connect_failures, response_ms,
      response_ms is null or failing_since is not null as unproven
    from webhook_subscriptions`
  const isFast = sql`s.response_ms < ${sql.lit(FAST_MS)} and f.hangs is not true`
  return sql`
    networks (network, visited) as (
      (select d.network, 1 from webhook_deliveries d
        where d.status = ${status} and d.network > ${after} order by d.network limit 1)
      union all
      select following.network, n.visited + 1
      from networks n cross join lateral (
        select d.network from webhook_deliveries d
        where d.status = ${status} and d.network > n.network order by d.network limit 1
      ) following
      where n.visited < ${sql.lit(MAX_NETWORKS)}
    ),
    waiting as (
      select n.network, e.subscription_id
      from (select network, greatest(1, ${sql.lit(MAX_ENDPOINTS)} / (select count(*) from networks)) as endpoints from networks) n
      cross join lateral (${endpointsOf(start, END)} union all ${endpointsOf('', start)}) e
    ),
    in_flight as materialized (
      select d.*, s.wallet, s.network, s.site
      from (
        select subscription_id, count(*)::integer as attempts,
          min(lease_until) < now() + ${lease} - ${sql.lit(FAST_MS)} * interval '1 ms' as hangs
        from webhook_deliveries where status = 'in_flight' group by subscription_id
      ) d
      cross join lateral (${subscription} where id = d.subscription_id limit 1) s
    ),
    due as (
      select d.id, d.next_attempt_at as at, s.*,
        case when ${isFast} then 'fast' else 'slow' end as lane
      from waiting w
      cross join lateral (${subscription} where id = w.subscription_id limit 1) s
      left join in_flight f on f.subscription_id = s.subscription_id
      cross join lateral (
        select d.id, d.next_attempt_at from webhook_deliveries d
        where d.network = w.network and d.subscription_id = s.subscription_id and d.status = ${status}
          and d.next_attempt_at <= now()
        order by d.next_attempt_at
        limit greatest(0, coalesce(0 - f.attempts, 0)
          + case when s.paused_until is null and s.connect_failures = 0 then ${perEndpoint}::integer else 1 end)
      ) d
      where s.active and s.deleted_at is null and (s.paused_until is null or s.paused_until <= now())
        and case when ${isFast} then ${free.fast}::integer else ${free.slow}::integer end > 0
    ),
    attempts as materialized (
      select null as id, null::timestamptz as at, subscription_id, wallet, network, site, null as lane,
        attempts, 0 as connect_failures, false as unproven, false as probe
      from in_flight
      union all
      select id, at, subscription_id, wallet, network, site, lane,
        1, connect_failures, unproven, paused_until is not null
      from due
    )`
}
