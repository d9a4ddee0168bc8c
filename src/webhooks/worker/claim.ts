import { type Selectable, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { WorkerLimits } from './limits.ts'
import type { WorkerConnection } from './worker-connection.ts'

type Delivery = Selectable<Database['webhook_deliveries']>

/** The part of a claim that its settlement needs. */
export interface ClaimedDelivery extends Pick<Delivery, 'id' | 'trigger' | 'attempt_count' | 'retry_step'> {
  /** The lease token. An outcome is accepted only with it. */
  readonly token: string
  /** True for the single attempt that tests an endpoint whose breaker is open. */
  readonly probe: boolean
}

/** A delivery that belongs to this worker until its lease expires. */
export interface Claim extends ClaimedDelivery, Pick<Delivery, 'subscription_id' | 'event_type' | 'body'> {
  readonly url: string
  /** Encrypted, base64. */
  readonly secret: string
}

/** First attempts (`pending`) and retries are claimed separately, so that each keeps free slots. */
export type Lane = 'pending' | 'retrying'

export interface ClaimResult {
  readonly claims: Claim[]
  /** The `after` of the next claim. Empty if all endpoints with waiting deliveries were visited. */
  readonly next: string
}

/** Endpoints that one claim visits. The next claim continues with the following ones. */
const MAX_ENDPOINTS = 512

/**
 * Claims up to `limit` due deliveries, one of each endpoint before the second of any. It steps
 * through the index by endpoint, so that a long backlog of one endpoint costs nothing. (`lateral
 * … limit 1` prevents full scans by a plan that was made for few webhooks.)
 */
export async function claimDeliveries(
  connection: WorkerConnection,
  options: { lane: Lane; limit: number; after: string; limits: WorkerLimits },
): Promise<ClaimResult> {
  const { lane, limit, after, limits } = options
  // One slot per endpoint and host is reserved for retries, or a busy endpoint would never get one.
  const reserved = lane === 'pending' ? 1 : 0
  const perEndpoint = Math.max(1, limits.perEndpoint - reserved)
  const perHost = Math.max(1, limits.perHost - reserved)
  const status = sql.lit(lane)
  const lease = sql`${limits.leaseMs}::float8 * interval '1 ms'`
  const [row] = await connection.query<{ claims: Claim[] | null; visited: number; last: string | null }>(
    `claim_${lane}`,
    sql`
    with recursive waiting (subscription_id, visited) as (
      (select d.subscription_id, 1 from webhook_deliveries d
        where d.status = ${status} and d.subscription_id > ${after} order by d.subscription_id limit 1)
      union all
      select following.subscription_id, w.visited + 1
      from waiting w cross join lateral (
        select d.subscription_id from webhook_deliveries d
        where d.status = ${status} and d.subscription_id > w.subscription_id order by d.subscription_id limit 1
      ) following
      where w.visited < ${sql.lit(MAX_ENDPOINTS)}
    ),
    in_flight as materialized (
      select d.subscription_id, s.host, count(*)::integer as attempts
      from webhook_deliveries d
      cross join lateral (select host from webhook_subscriptions where id = d.subscription_id limit 1) s
      where d.status = 'in_flight' group by d.subscription_id, s.host
    ),
    candidates as (
      select d.id, s.id as subscription_id, s.host, d.next_attempt_at, s.paused_until is not null as probe,
        row_number() over (partition by s.id order by d.next_attempt_at) as turn
      from waiting w
      cross join lateral (select * from webhook_subscriptions where id = w.subscription_id limit 1) s
      left join in_flight f on f.subscription_id = s.id
      cross join lateral (
        select d.id, d.next_attempt_at from webhook_deliveries d
        where d.subscription_id = s.id and d.status = ${status} and d.next_attempt_at <= now()
        order by d.next_attempt_at
        limit greatest(0, coalesce(0 - f.attempts, 0)
          + case when s.paused_until is null and s.connect_failures = 0 then ${perEndpoint}::integer else 1 end)
      ) d
      where s.active and s.deleted_at is null and (s.paused_until is null or s.paused_until <= now())
    ),
    ranked as (
      select c.*, row_number() over (partition by c.host order by c.turn, c.next_attempt_at)
        + coalesce((select sum(f.attempts) from in_flight f where f.host = c.host), 0) as rank_at_host
      from candidates c
    ),
    chosen as materialized (
      select id, subscription_id, probe from ranked where rank_at_host <= ${perHost}::integer
      order by turn, next_attempt_at limit ${limit}::integer
    ),
    probes as (
      update webhook_subscriptions s set paused_until = now() + ${lease}
      where s.id in (select subscription_id from chosen where probe) and s.paused_until <= now()
      returning s.id
    ),
    locked as (
      select d.id, c.probe from webhook_deliveries d join chosen c on c.id = d.id
      where d.status = ${status} and (not c.probe or d.subscription_id in (select id from probes))
      for update of d skip locked
    ),
    claimed as (
      update webhook_deliveries d set status = 'in_flight', next_attempt_at = null, claim_count = d.claim_count + 1,
        lease_token = gen_random_uuid()::text, lease_until = now() + ${lease}
      from locked where d.id = locked.id
      returning d.id, d.lease_token as token, d.subscription_id, d.event_id, d.event_type, d.body, d.trigger,
        d.attempt_count, d.retry_step, locked.probe
    ),
    claims as (
      select c.id, c.token, c.subscription_id, s.url, encode(s.secret_encrypted, 'base64') as secret, c.event_type,
        coalesce(c.body, o.body) as body, c.trigger, c.attempt_count, c.retry_step, c.probe
      from claimed c join webhook_subscriptions s on s.id = c.subscription_id
      left join outbox_events o on o.id = c.event_id
    )
    select (select json_agg(claims) from claims) as claims,
      (select count(*)::integer from waiting) as visited, (select max(subscription_id) from waiting) as last`,
  )
  const more = (row?.visited ?? 0) >= MAX_ENDPOINTS
  return { claims: row?.claims ?? [], next: more ? (row?.last ?? '') : '' }
}

/** Returns claims that got no attempt. They become due again after `delayMs`. */
export async function releaseClaims(
  connection: WorkerConnection,
  claims: readonly Claim[],
  delayMs: number,
): Promise<void> {
  if (claims.length === 0) return
  const tokens = JSON.stringify(claims.map(({ id, token }) => ({ id, token })))
  await connection.query(
    'release',
    sql`
    update webhook_deliveries d set
      status = case when d.retry_step = 0 then 'pending' else 'retrying' end,
      next_attempt_at = now() + ${delayMs}::float8 * interval '1 ms',
      claim_count = d.claim_count - 1, lease_token = null, lease_until = null
    from json_to_recordset(${tokens}::json) as r(id text, token text)
    where d.id = r.id and d.lease_token = r.token`,
  )
}
