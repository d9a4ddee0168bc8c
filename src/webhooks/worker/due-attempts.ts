import { type RawBuilder, sql } from 'kysely'
import { FAST_MS, type Lane } from './lanes.ts'

/**
 * The common table expressions that find the due deliveries of `waiting`. `attempts` has a row for
 * each endpoint with attempts in flight (`id` is null), so that these count, and for each due
 * delivery.
 */
export function dueAttempts(options: {
  status: RawBuilder<unknown>
  /** Deliveries in flight whose attempt has ended: they count no longer. */
  finished: readonly string[]
  perEndpoint: number
  free: Readonly<Record<Lane, number>>
  lease: RawBuilder<unknown>
}): RawBuilder<unknown> {
  const { status, finished, perEndpoint, free, lease } = options
  const subscription = sql`
    select id as subscription_id, wallet, coalesce(network, wallet) as network, coalesce(site, host) as site, active,
      deleted_at, paused_until, connect_failures, response_ms,
      response_ms is null or failing_since is not null as unproven
    from webhook_subscriptions`
  const isFast = sql`s.response_ms < ${sql.lit(FAST_MS)} and f.hangs is not true`
  return sql`
    in_flight as materialized (
      select d.*, s.wallet, s.network, s.site
      from (
        select subscription_id, count(*)::integer as attempts,
          min(due_at) < now() + ${lease} - ${sql.lit(FAST_MS)} * interval '1 ms' as hangs
        from webhook_queue where status = 'in_flight' and delivery_id not in (select unnest(${finished}::text[]))
        group by subscription_id
      ) d
      cross join lateral (${subscription} where id = d.subscription_id limit 1) s
    ),
    due as (
      select d.id, d.at, s.*,
        case when ${isFast} then 'fast' else 'slow' end as lane
      from waiting w
      cross join lateral (${subscription} where id = w.subscription_id limit 1) s
      left join in_flight f on f.subscription_id = s.subscription_id
      cross join lateral (
        select d.delivery_id as id, d.due_at as at from webhook_queue d
        where d.status = ${status} and d.network = w.network and d.subscription_id = s.subscription_id
          and d.due_at <= now()
        order by d.due_at
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
