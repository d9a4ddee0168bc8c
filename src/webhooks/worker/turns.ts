import { type RawBuilder, sql } from 'kysely'
import type { Lane } from './lanes.ts'
import { MAX_AT_ONCE } from './waiting.ts'

/**
 * The n-th attempt in flight of a network starts only if n/4 slots of the lane stay free, but never
 * more than a quarter: attempts in the other lane and in other processes count in n too, and would
 * otherwise stop a busy network here.
 */
const SHARE = sql.lit(4)

/** How many attempts can start. */
export interface Capacity {
  readonly perSite: number
  /** Free or not. */
  readonly slots: Readonly<Record<Lane, number>>
  readonly free: Readonly<Record<Lane, number>>
}

const leave = (lane: Lane, { slots }: Capacity) => sql`${slots[lane]}::integer / ${SHARE}`
const free = (lane: Lane, capacity: Capacity) => sql`${capacity.free[lane]}::integer`

/**
 * The common table expression `demand`: `fits` is true if all `attempts` (of `dueAttempts`) can
 * start now, whatever their order, and no endpoint was left out.
 */
export function demand(capacity: Capacity): RawBuilder<unknown> {
  const fits = (lane: Lane) => {
    const due = sql.ref(lane)
    return sql`coalesce(sum(${due}) + ${leave(lane, capacity)} <= ${free(lane, capacity)} or sum(${due}) = 0, true)`
  }
  return sql`
    demand as materialized (
      select ${fits('fast')} and ${fits('slow')}
        and coalesce(max(attempts + attempts / ${SHARE}), 0) <= ${capacity.perSite}::integer
        and (select count(*) from waiting) < ${sql.lit(MAX_AT_ONCE)} as fits
      from (
        select sum(attempts) as attempts, count(*) filter (where lane = 'fast') as fast,
          count(*) filter (where lane = 'slow') as slow
        from attempts group by site
      ) sites
    )`
}

/** The common table expression `chosen`: all due deliveries if they fit, else none. */
export const chosenAtOnce = sql`
  chosen as materialized (select * from attempts where id is not null and (select fits from demand))`

/**
 * The common table expression `chosen`: the due deliveries that start now. `network_turn` n is the
 * n-th attempt of its network, where wallets, and then endpoints, take turns.
 */
export function chosenInTurns(start: string, capacity: Capacity): RawBuilder<unknown> {
  const inFlightFirst = sql`id is not null`
  const running = sql`rows unbounded preceding`
  // Not the age: a network with a long old backlog would always come first.
  const draw = (column: 'wallet' | 'network') => sql`hashtext(${sql.ref(column)} || ${start})`
  return sql`
    endpoint_turns as (
      select *, sum(attempts) over (partition by subscription_id order by ${inFlightFirst}, at ${running}) as endpoint_turn
      from attempts
    ),
    wallet_turns as (
      select *, sum(attempts) over (partition by wallet order by ${inFlightFirst}, endpoint_turn, at ${running}) as wallet_turn
      from endpoint_turns
    ),
    network_turns as (
      select *, sum(attempts) over (partition by network order by ${inFlightFirst}, wallet_turn, ${draw('wallet')}, at ${running}) as network_turn
      from wallet_turns
    ),
    site_turns as (
      select *, ${draw('network')} as draw,
        sum(attempts) over (partition by site order by ${inFlightFirst}, network_turn, ${draw('network')}, at ${running}) as site_turn,
        sum(attempts) over (partition by site, network order by network_turn ${running}) as site_network_turn
      from network_turns
    ),
    places as (
      select *, row_number() over (partition by lane order by network_turn, draw, at) as place
      from site_turns
      where id is not null and site_turn + (site_network_turn - 1) / ${SHARE} <= ${capacity.perSite}::integer
    ),
    chosen as materialized (
      select * from places
      where place + least((network_turn - 1) / ${SHARE},
          case lane when 'fast' then ${leave('fast', capacity)} else ${leave('slow', capacity)} end)
        <= case lane when 'fast' then ${free('fast', capacity)} else ${free('slow', capacity)} end
    )`
}
