import { randomUUID } from 'node:crypto'
import { type Selectable, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { dueAttempts } from './due-attempts.ts'
import type { DueStatus, Lane } from './lanes.ts'
import type { WorkerLimits } from '../limits.ts'
import { chosenAtOnce, chosenInTurns, demand } from './turns.ts'
import { firstWaiting, MAX_NETWORKS, waitingByNetwork } from './waiting.ts'
import type { WorkerConnection } from '../worker-connection.ts'

type Delivery = Selectable<Database['webhook_deliveries']>

/** The part of a claim that its settlement needs. */
export interface ClaimedDelivery extends Pick<Delivery, 'id' | 'trigger' | 'attempt_count' | 'retry_step'> {
  /** The lease token. An outcome is accepted only with it. */
  readonly token: string
  /** True for the single attempt that tests an endpoint whose breaker is open. */
  readonly probe: boolean
}

/** A delivery that belongs to this worker until its lease expires. */
export interface Claim
  extends ClaimedDelivery, Pick<Delivery, 'subscription_id' | 'event_id' | 'event_type' | 'body'> {
  readonly url: string
  /** Encrypted, base64. */
  readonly secret: string
  readonly lane: Lane
  /** True if the attempt must end within `firstDeadlineMs`. */
  readonly short: boolean
}

export interface ClaimResult {
  readonly claims: Claim[]
  /** The `after` of the next claim. Empty if all networks with waiting deliveries were visited. */
  readonly next: string
  /** True if some due deliveries had to wait for others. */
  readonly contended: boolean
}

/**
 * After this many failures in a row the first attempts have the whole time, so that an endpoint
 * that is slow, but answers, is not paused by the breaker.
 */
const MAX_SHORT_FAILURES = 3

export interface ClaimOptions {
  status: DueStatus
  free: Readonly<Record<Lane, number>>
  /** Free or not. */
  slots: Readonly<Record<Lane, number>>
  after: string
  /** `contended` of the last claim. */
  contended: boolean
  limits: WorkerLimits
  /** Claims of this worker whose attempt has ended, and whose outcome is not written yet. */
  finished: readonly string[]
}

/**
 * Claims due deliveries of both lanes. If all of them fit, they start, and it does not matter whose
 * turn it is: finding out would be a quarter of the cost of a claim. Else networks take turns, and
 * one that already has many attempts in flight leaves slots for others: with k such networks, one
 * of 4k + 1 slots stays free.
 */
export async function claimDeliveries(
  connection: WorkerConnection,
  options: ClaimOptions,
): Promise<ClaimResult> {
  if (options.contended) return claim(connection, options, true)
  const result = await claim(connection, options, false)
  return result.contended ? claim(connection, options, true) : result
}

async function claim(
  connection: WorkerConnection,
  options: ClaimOptions,
  inTurns: boolean,
): Promise<ClaimResult> {
  const { free, slots, after, limits } = options
  const status = sql.lit(options.status)
  // One slot per endpoint and site is reserved for retries, or a busy endpoint would never get one.
  const reserved = options.status === 'pending' ? 1 : 0
  const perEndpoint = Math.max(1, limits.perEndpoint - reserved)
  const capacity = { perSite: Math.max(1, limits.perSite - reserved), slots, free }
  const start = randomUUID()
  const visited = inTurns
    ? sql`(select count(*)::integer from networks) as visited, (select max(network) from networks) as last`
    : sql`0 as visited, null as last`
  const lease = sql`${limits.leaseMs}::float8 * interval '1 ms'`
  const [row] = await connection.query<{
    claims: Claim[] | null
    visited: number
    last: string | null
    fits: boolean
  }>(
    inTurns ? `claim_${options.status}_in_turns` : `claim_${options.status}`,
    sql`
    with recursive ${inTurns ? waitingByNetwork(status, after, start) : firstWaiting(status)},
    ${dueAttempts({ status, finished: options.finished, perEndpoint, free, lease })},
    ${demand(capacity)},
    ${inTurns ? chosenInTurns(start, capacity) : chosenAtOnce},
    probes as (
      update webhook_subscriptions s set paused_until = now() + ${lease}
      where s.id = any(array(select subscription_id from chosen where probe)) and s.paused_until <= now()
      returning s.id
    ),
    locked as (
      select d.ctid from chosen c cross join lateral (
        select d.ctid from webhook_deliveries d
        where d.id = c.id and d.status = ${status} limit 1 for update skip locked
      ) d
      where not c.probe or c.subscription_id in (select id from probes)
    ),
    claimed as (
      update webhook_deliveries d set status = 'in_flight', next_attempt_at = null, claim_count = d.claim_count + 1,
        lease_token = gen_random_uuid()::text, lease_until = now() + ${lease}
      where d.ctid = any(array(select ctid from locked))
      returning d.id, d.lease_token as token, d.subscription_id, d.event_id, d.event_type, d.body, d.trigger,
        d.attempt_count, d.retry_step
    ),
    claims as (
      select c.id, c.token, c.subscription_id, s.url, encode(s.secret_encrypted, 'base64') as secret, c.event_id,
        c.event_type, coalesce(c.body, o.body) as body, c.trigger, c.attempt_count, c.retry_step, chosen.probe, chosen.lane,
        ${status} = 'pending' and chosen.lane = 'slow' and not chosen.probe and chosen.unproven
          and chosen.connect_failures < ${sql.lit(MAX_SHORT_FAILURES)} as short
      from claimed c join chosen on chosen.id = c.id
      cross join lateral (
        select url, secret_encrypted from webhook_subscriptions where id = c.subscription_id limit 1
      ) s
      left join lateral (select body from outbox_events where id = c.event_id limit 1) o on true
    )
    select (select json_agg(claims) from claims) as claims, (select fits from demand) as fits,
      ${visited}`,
  )
  const more = (row?.visited ?? 0) >= MAX_NETWORKS
  return { claims: row?.claims ?? [], next: more ? (row?.last ?? '') : '', contended: row?.fits === false }
}
