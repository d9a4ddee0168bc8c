import { randomUUID } from 'node:crypto'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { FAST_MS, type WorkerLimits } from './limits.ts'
import type { DueStatus } from './slots.ts'
import type { Running, Waiting } from './turns.ts'
import type { WorkerConnection } from './worker-connection.ts'

/** Networks that one read visits. The next one continues with the following ones. */
export const MAX_NETWORKS = 256
/** Webhooks that one read visits, divided among the networks. */
export const MAX_WEBHOOKS = 512
const MAX_RECLAIMS = 500
/** A delivery whose workers keep crashing may cause the crashes. Each claim adds this delay. */
const RECLAIM_DELAY_SECONDS = 5

type Delivery = Selectable<Database['webhook_deliveries']>

/** The part of a claim that its settlement needs. */
export interface ClaimedDelivery extends Pick<Delivery, 'id' | 'trigger' | 'attempt_count' | 'retry_step'> {
  /** The lease token. An outcome is accepted only with it. */
  readonly token: string
}

/** A delivery that belongs to this worker until its lease expires. */
export interface Claim
  extends ClaimedDelivery, Pick<Delivery, 'subscription_id' | 'event_id' | 'event_type' | 'body'> {
  readonly url: string
  /** Encrypted, base64: the current one, and after a rotation the replaced one for a while. */
  readonly secrets: readonly string[]
}

/** A webhook with due deliveries, and what decides how long its attempt may take. */
interface DueWebhook extends Waiting {
  /** Its pause has ended: one attempt tests it. */
  readonly probe: boolean
  /** New, or it failed last. */
  readonly unproven: boolean
  /** Attempts in a row without a connection or a response in time. */
  readonly failures: number
}

export interface Due {
  readonly running: readonly Running[]
  readonly waiting: readonly DueWebhook[]
  /** The `after` of the next read. Empty if all networks with waiting deliveries were visited. */
  readonly next: string
  /** True if a network has more webhooks than were visited. */
  readonly more: boolean
}

const leaseOf = ({ leaseMs }: WorkerLimits) => sql`${leaseMs}::float8 * interval '1 ms'`

const ofQueue = (status: DueStatus) => sql`from webhook_queue where status = ${sql.lit(status)}`

/** The networks with waiting deliveries after this one, in order. */
const networksAfter = (after: string, status: DueStatus) => sql`
  (select network ${ofQueue(status)} and network > ${after} order by network limit 1)
  union all
  select following.network from networks n cross join lateral (
    select network ${ofQueue(status)} and network > n.network order by network limit 1
  ) following`

/** The webhooks of network `n` with waiting deliveries: those after `start`, then the others. */
const webhooksFrom = (start: string, status: DueStatus) => sql`
  with recursive webhooks (id, again) as (
    select ${start}::text collate "C", false
    union all
    select following.id, following.again from webhooks w cross join lateral (
      (select subscription_id as id, w.again ${ofQueue(status)} and network = n.network and subscription_id > w.id
        and (not w.again or subscription_id <= ${start}) order by subscription_id limit 1)
      union all
      (select subscription_id, true ${ofQueue(status)} and network = n.network and not w.again
        and subscription_id <= ${start} order by subscription_id limit 1)
      limit 1
    ) following
  )
  select id from webhooks offset 1 limit (select webhooks from quota)`

const WEBHOOKS = sql`
  select id as webhook, wallet, coalesce(network, wallet) as network, coalesce(site, host) as site, active, deleted_at,
    paused_until, response_ms, connect_failures as failures, failing_since from webhook_subscriptions`

/**
 * Reads the webhooks with due deliveries: at most `MAX_WEBHOOKS`, from all networks alike, and in
 * each from a random one. It steps through the index from one to the next, so that a long backlog
 * of one costs others nothing. (`lateral … limit 1` prevents full scans by a plan for few rows.)
 * Deliveries in `finished` do not count as in flight.
 */
export async function readDue(
  connection: WorkerConnection,
  options: { status: DueStatus; after: string; limits: WorkerLimits; finished: readonly string[] },
): Promise<Due> {
  const { status, after, limits, finished } = options
  const [row] = await connection.query<{ [Part in keyof Due]: Due[Part] | null }>(
    `due_${status}`,
    sql`
    with recursive networks as (${networksAfter(after, status)}),
    visited as materialized (select network from networks limit ${sql.lit(MAX_NETWORKS)}),
    quota as (select greatest(1, ${sql.lit(MAX_WEBHOOKS)} / count(*))::integer as webhooks from visited),
    waiting as materialized (
      select n.network, w.id from visited n cross join lateral (${webhooksFrom(randomUUID(), status)}) w
    ),
    sendable as (
      select s.webhook, s.wallet, s.network, s.site, s.failures, d.due,
        coalesce(s.response_ms < ${sql.lit(FAST_MS)}, false) as fast, s.paused_until is not null as probe,
        s.paused_until is not null or s.failures > 0 as single,
        s.response_ms is null or s.failing_since is not null as unproven
      from waiting w
      cross join lateral (${WEBHOOKS} where id = w.id limit 1) s
      cross join lateral (select array(
        select delivery_id ${ofQueue(status)} and network = w.network and subscription_id = w.id and due_at <= now()
        order by due_at limit ${limits.perEndpoint}::integer) as due offset 0) d
      where s.active and s.deleted_at is null and (s.paused_until is null or s.paused_until <= now()) and d.due <> '{}'
    ),
    running as (
      select s.webhook, s.wallet, s.network, s.site, d.attempts, d.hangs from (
        select subscription_id, count(*)::integer as attempts,
          min(due_at) < now() + ${leaseOf(limits)} - ${sql.lit(FAST_MS)} * interval '1 ms' as hangs
        from webhook_queue where status = 'in_flight' and delivery_id not in (select unnest(${finished}::text[]))
        group by subscription_id
      ) d cross join lateral (${WEBHOOKS} where id = d.subscription_id limit 1) s
    )
    select (select json_agg(running) from running) as running, (select json_agg(sendable) from sendable) as waiting,
      (select max(network) from visited having count(*) >= ${sql.lit(MAX_NETWORKS)}) as next,
      exists (select from waiting group by network having count(*) >= (select webhooks from quota)) as more`,
  )
  const { running, waiting, next, more } = row!
  return { running: running ?? [], waiting: waiting ?? [], next: next ?? '', more: more ?? false }
}

/**
 * Claims deliveries that are still due, of webhooks that still may get them. Of several workers one
 * gets the probe of a webhook.
 */
export async function claim(
  connection: WorkerConnection,
  options: { status: DueStatus; ids: readonly string[]; probes: readonly string[]; limits: WorkerLimits },
): Promise<Claim[]> {
  const { status, ids, probes, limits } = options
  if (ids.length === 0) return []
  const [row] = await connection.query<{ claims: Claim[] | null }>(
    `claim_${status}`,
    sql`
    with probed as (
      update webhook_subscriptions set paused_until = now() + ${leaseOf(limits)}
      where id = any(${probes}::text[]) and paused_until <= now() returning id
    ),
    locked as (
      select d.ctid from unnest(${ids}::text[]) as c(id)
      cross join lateral (
        select ctid, subscription_id from webhook_deliveries
        where id = c.id and status = ${sql.lit(status)} limit 1 for update skip locked
      ) d
      cross join lateral (
        select id, active and deleted_at is null and (paused_until is null or paused_until <= now()) as sendable
        from webhook_subscriptions where id = d.subscription_id limit 1
      ) s
      where s.sendable and (s.id <> all(${probes}::text[]) or s.id in (select id from probed))
    ),
    claimed as (
      update webhook_deliveries d set status = 'in_flight', next_attempt_at = null, claim_count = d.claim_count + 1,
        lease_token = gen_random_uuid()::text, lease_until = now() + ${leaseOf(limits)}
      where d.ctid = any(array(select ctid from locked))
      returning d.id, d.lease_token as token, d.subscription_id, d.event_id, d.event_type, d.body, d.trigger,
        d.attempt_count, d.retry_step
    ),
    claims as (
      select c.id, c.token, c.subscription_id, c.event_id, c.event_type, c.trigger, c.attempt_count, c.retry_step,
        s.url, array_remove(array[encode(s.secret_encrypted, 'base64'), case when s.previous_secret_until > now()
          then encode(s.previous_secret_encrypted, 'base64') end], null) as secrets, coalesce(c.body, o.body) as body
      from claimed c
      cross join lateral (
        select url, secret_encrypted, previous_secret_encrypted, previous_secret_until
        from webhook_subscriptions where id = c.subscription_id limit 1
      ) s
      left join lateral (select body from outbox_events where id = c.event_id limit 1) o on true
    )
    select json_agg(claims) as claims from claims`,
  )
  return row?.claims ?? []
}

/** Returns claims that got no attempt. They become due again after `delayMs`. */
export async function release(connection: WorkerConnection, claims: readonly Claim[], delayMs: number) {
  if (claims.length === 0) return
  await connection.query(
    'release',
    sql`
    update webhook_deliveries d set
      claim_count = d.claim_count - 1, ${unlessCancelled(sql`now() + ${delayMs}::float8 * interval '1 ms'`)}
    from unnest(${claims.map(({ id }) => id)}::text[], ${claims.map(({ token }) => token)}::text[]) as r(id, token)
    where d.id = r.id and d.lease_token = r.token`,
  )
}

/**
 * Makes deliveries with an expired lease due again. Those that were claimed `maxClaims` times
 * without an outcome are returned: they count as a failed attempt, so that they reach an end.
 */
export async function reclaim(
  connection: WorkerConnection,
  { maxClaims }: WorkerLimits,
): Promise<{ reclaimed: number; lost: ClaimedDelivery[] }> {
  const [row] = await connection.query<{ reclaimed: number; lost: ClaimedDelivery[] | null }>(
    'reclaim',
    sql`
    with expired as (
      select d.* from (
        select delivery_id from webhook_queue where status = 'in_flight' and due_at < now()
        order by due_at limit ${sql.lit(MAX_RECLAIMS)}
      ) q
      cross join lateral (
        select id, lease_token as token, attempt_count, retry_step, trigger, claim_count >= ${maxClaims}::integer as lost
        from webhook_deliveries
        where id = q.delivery_id and status = 'in_flight' and lease_until < now() limit 1 for update skip locked
      ) d
    ),
    reclaimed as (
      update webhook_deliveries d set ${unlessCancelled(
        sql`now() + (d.claim_count - 1) * ${sql.lit(RECLAIM_DELAY_SECONDS)} * interval '1 s'`,
      )}
      from expired e where e.id = d.id and not e.lost
      returning d.id
    )
    select (select count(*)::integer from reclaimed) as reclaimed,
      (select json_agg(expired) from expired where expired.lost) as lost`,
  )
  return { reclaimed: row?.reclaimed ?? 0, lost: row?.lost ?? [] }
}

/** The columns of a delivery `d` whose lease ends without an attempt: due again, or cancelled. */
const unlessCancelled = (dueAt: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  status = case when d.cancel_requested then 'cancelled' when d.retry_step = 0 then 'pending' else 'retrying' end,
  next_attempt_at = case when not d.cancel_requested then ${dueAt} end,
  completed_at = case when d.cancel_requested then now() end,
  cancel_requested = false, lease_token = null, lease_until = null`
