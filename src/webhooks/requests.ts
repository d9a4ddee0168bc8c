import type { Pubkey } from '@agent-registry/solana'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { clientNetwork } from '../domain/client-network.ts'
import { DomainError } from '../domain/errors.ts'
import { checkPeriod, optional, pubkeyParameter, timeParameter } from '../domain/parameters.ts'
import { isUuid } from '../domain/uuid.ts'
import { DELIVERIES_CHANNEL, type DeliveryStatus } from '../domain/webhook-delivery.ts'
import type { WebhookEventType } from '../domain/webhook-events.ts'
import type { Clock } from '../platform/clock.ts'
import { countRequest, rateLimited, stateAt } from '../platform/rate-limits/rate-limits.ts'
import { checkLists, deleteHiddenAttempts, type DeliveryRecord, readDelivery } from './deliveries.ts'
import { LAST_STEP } from './limits.ts'

/** Who requests a delivery. */
export interface Caller {
  readonly wallet: Pubkey
  readonly clientIp: string
}

interface Dependencies {
  readonly kysely: Kysely<Database>
  readonly clock: Clock
  readonly newId: () => string
  /** Requested deliveries per minute. Null for no limit. */
  readonly sendLimit: number | null
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
  const counted = rows.map(({ client, arrival, now }) =>
    Object.assign(countRequest(arrival, now, limit, Math.max(1, granted)), { client }),
  )
  const refusals = counted.map(({ state }) => state).filter(({ allowed }) => !allowed)
  const [longest] = refusals.toSorted((a, b) => b.resetSeconds - a.resetSeconds)
  if (longest !== undefined) throw rateLimited(longest)
  await sql`
    update rate_limits r set arrival = c.arrival
    from json_to_recordset(${JSON.stringify(counted)}::json) as c(client text, arrival float8)
    where r.kind = 'sends' and r.client = c.client`.execute(db)
  return granted
}

/** The event type of all test events. Webhooks cannot subscribe to it. */
const PING = 'ping'
/** The newest pings of a webhook that are stored, also while they wait. */
export const MAX_PINGS = 50

/** An event with made-up values. */
export interface ExampleEvent {
  readonly type: WebhookEventType
  readonly agentPda: string
  readonly data: Readonly<Record<string, unknown>>
}

/**
 * Enqueues a test event: a ping, or an example of an event. It is signed, sent and logged like any
 * event, but has one attempt. `pda` is the webhook's agent filter; without one, that of the example
 * or null. `slot` is the newest indexed slot. Throws WEBHOOK_INACTIVE and RATE_LIMITED.
 */
export async function pingWebhook(
  subscriptionId: string,
  caller: Caller,
  { kysely, clock, newId, sendLimit }: Dependencies,
  example: ExampleEvent | null = null,
): Promise<DeliveryRecord> {
  return kysely.transaction().execute(async (db) => {
    const { rows } = await sql<{ filter_agent_pda: string | null; network: string; slot: number | null }>`
      select s.filter_agent_pda, coalesce(s.network, s.wallet) as network, (select cursor_slot from indexer_state) as slot
      from webhook_subscriptions s
      where s.id = ${subscriptionId} and s.active and s.deleted_at is null for key share of s`.execute(db)
    const [webhook] = rows
    if (webhook === undefined) throw new DomainError('WEBHOOK_INACTIVE')
    await chargeSends(db, caller, 1, sendLimit)
    const eventId = `ping_${newId()}`
    const pda = webhook.filter_agent_pda ?? example?.agentPda ?? null
    const body = JSON.stringify({
      id: eventId,
      type: example?.type ?? PING,
      pda,
      slot: webhook.slot ?? 0,
      timestamp: new Date(clock.now()).toISOString(),
      ...(example === null
        ? { data: { webhookId: subscriptionId } }
        : // Otherwise a receiver could take it for an event of the agent.
          { data: { ...example.data, agentPda: pda }, test: true }),
    })
    const created = await sql<{ id: string }>`
      insert into webhook_deliveries (subscription_id, network, event_id, event_type, trigger, retry_step, body)
      values (${subscriptionId}, ${webhook.network}, ${eventId}, ${PING}, 'ping', ${LAST_STEP}, ${body})
      returning id`.execute(db)
    await deleteOldPings(db, subscriptionId)
    await notifyWorkers(db)
    return readDelivery(db, subscriptionId, created.rows[0]!.id)
  })
}

/** Skips locked rows, so that it never waits: the next ping deletes them. */
async function deleteOldPings(db: Kysely<Database>, subscriptionId: string): Promise<void> {
  await sql`
    with deleted as (
      delete from webhook_deliveries where id in (
        select id from webhook_deliveries where id = any(array(
            select id from webhook_deliveries
            where subscription_id = ${subscriptionId} and event_type = ${sql.lit(PING)}
            order by created_at desc offset ${sql.lit(MAX_PINGS)}))
          and status <> 'in_flight'
        for update skip locked)
      returning id
    )
    delete from webhook_attempts where delivery_id in (select id from deleted)`.execute(db)
}

/**
 * Sends a delivery again at once, whatever its status. It keeps its position in the retry schedule,
 * so one that had all its attempts gets one more, and so does one that succeeded. Also ends a pause
 * of the endpoint. A delivery in flight stays as it is. Throws DELIVERY_NOT_FOUND,
 * WEBHOOK_INACTIVE, EVENT_WITHDRAWN, RATE_LIMITED.
 */
export async function resendDelivery(
  subscriptionId: string,
  caller: Caller,
  deliveryId: string,
  { kysely, sendLimit }: Dependencies,
): Promise<DeliveryRecord> {
  if (!isUuid(deliveryId)) throw new DomainError('DELIVERY_NOT_FOUND')
  return kysely.transaction().execute(async (db) => {
    const { rows } = await sql<{ sendable: boolean; withdrawn: boolean }>`
      select s.active and s.deleted_at is null as sendable, o.cancelled_at is not null as withdrawn
      from webhook_deliveries d
      join webhook_subscriptions s on s.id = d.subscription_id
      left join outbox_events o on o.id = d.event_id
      where d.id = ${deliveryId} and d.subscription_id = ${subscriptionId}
      for update of d`.execute(db)
    const [delivery] = rows
    if (delivery === undefined) throw new DomainError('DELIVERY_NOT_FOUND')
    if (!delivery.sendable) throw new DomainError('WEBHOOK_INACTIVE')
    if (delivery.withdrawn) throw new DomainError('EVENT_WITHDRAWN')
    await chargeSends(db, caller, 1, sendLimit)
    await sql`
      update webhook_deliveries set
        status = case when retry_step = 0 and status <> 'success' then 'pending' else 'retrying' end,
        retry_step = case status when 'success' then ${LAST_STEP} else retry_step end,
        trigger = 'resend', claim_count = 0, next_attempt_at = now(), completed_at = null
      where id = ${deliveryId} and status <> 'in_flight'`.execute(db)
    await deleteHiddenAttempts(db, [deliveryId])
    await sql`
      update webhook_subscriptions set paused_until = now()
      where id = ${subscriptionId} and paused_until > now()`.execute(db)
    await notifyWorkers(db)
    return readDelivery(db, subscriptionId, deliveryId)
  })
}

export interface RecoverInput {
  /** Required: ISO 8601 with a time zone. */
  readonly since?: string | null
  /** Not included. The current time by default. At most 14 days after `since`. */
  readonly until?: string | null
  /** Those of `FINISHED` that are sent again. Failed and cancelled ones by default. */
  readonly statuses?: readonly DeliveryStatus[] | null
  readonly eventTypes?: readonly string[] | null
  readonly agentPda?: string | null
  /** The `last` of a result: continues after it. */
  readonly continueAfter?: string | null
}

const NOT_RECEIVED: readonly DeliveryStatus[] = ['failed', 'cancelled']
const FINISHED: ReadonlySet<DeliveryStatus> = new Set(['success', ...NOT_RECEIVED])

export type RecoverResult = Awaited<ReturnType<typeof recoverDeliveries>>

export const MAX_DAYS = 14
export const MAX_RECOVERED = 10_000
const DAY_MS = 86_400_000

/**
 * Sends finished deliveries again, if their event was enqueued between two times, oldest first, as
 * many as the rate limit has left. Each keeps its position in the retry schedule, so one that
 * succeeded or had all its attempts gets one more. They use the retry lane, so new events are not
 * delayed. Throws INVALID_TEXT, INVALID_RANGE, INVALID_PUBKEY, INVALID_REQUEST, RECOVERY_TOO_LONG,
 * DELIVERY_NOT_FOUND, WEBHOOK_INACTIVE, RATE_LIMITED.
 */
export async function recoverDeliveries(
  subscriptionId: string,
  caller: Caller,
  input: RecoverInput,
  { kysely, clock, sendLimit }: Dependencies,
) {
  const { since, until } = readRecovery(input, clock)
  const { statuses, eventTypes, continueAfter } = input
  const agentPda = optional(pubkeyParameter, 'agentPda', input.agentPda)
  return kysely.transaction().execute(async (db) => {
    const sendable = await sql`
      select from webhook_subscriptions
      where id = ${subscriptionId} and active and deleted_at is null for key share`.execute(db)
    if (sendable.rows.length === 0) throw new DomainError('WEBHOOK_INACTIVE')
    const position = await positionOf(db, subscriptionId, continueAfter ?? null)
    const max = Math.min(MAX_RECOVERED, sendLimit ?? MAX_RECOVERED)
    const { rows } = await sql<{ id: string }>`
      select d.id from webhook_deliveries d
      left join outbox_events o on o.id = d.event_id
      where d.subscription_id = ${subscriptionId} and d.status = any(${[...(statuses ?? NOT_RECEIVED)]}::text[])
        and ${eventTypes ? sql`d.event_type = any(${[...eventTypes]}::text[])` : sql`true`}
        and ${agentPda ? sql`o.agent_pda = ${agentPda}` : sql`true`} and d.created_at >= ${since} and d.created_at < ${until} and ${position}
        and o.cancelled_at is null
      order by d.created_at, d.id limit ${max + 1} for update of d`.execute(db)
    if (rows.length === 0) return { recovered: 0, more: false, last: null }
    const recovered = await chargeSends(db, caller, Math.min(rows.length, max), sendLimit)
    const ids = rows.slice(0, recovered).map(({ id }) => id)
    await sql`
      update webhook_deliveries set status = 'retrying', trigger = 'recover', claim_count = 0,
        retry_step = case status when 'success' then ${LAST_STEP} else retry_step end,
        next_attempt_at = clock_timestamp(), completed_at = null
      where id = any(${ids}::text[])`.execute(db)
    await deleteHiddenAttempts(db, ids)
    await notifyWorkers(db)
    // More matched than the maximum of a call or the rate limit: the client calls again.
    return { recovered, more: rows.length > recovered, last: ids.at(-1) ?? null }
  })
}

/** A condition: after this delivery. Throws DELIVERY_NOT_FOUND. */
async function positionOf(db: Kysely<Database>, subscriptionId: string, id: string | null) {
  if (id === null) return sql`true`
  if (!isUuid(id)) throw new DomainError('DELIVERY_NOT_FOUND')
  // As text, because a Date has milliseconds only.
  const { rows } = await sql<{ at: string }>`
    select created_at::text as at from webhook_deliveries
    where id = ${id} and subscription_id = ${subscriptionId}`.execute(db)
  if (rows[0] === undefined) throw new DomainError('DELIVERY_NOT_FOUND')
  return sql`(d.created_at, d.id) > (${rows[0].at}::timestamptz, ${id})`
}

function readRecovery(input: RecoverInput, clock: Clock): { since: Date; until: Date } {
  checkLists(input)
  const wrong = input.statuses?.find((each) => !FINISHED.has(each))
  if (wrong !== undefined)
    throw new DomainError('INVALID_REQUEST', {
      problem: `statuses can contain success, failed and cancelled, got ${wrong}`,
    })
  const since = timeParameter('since', input.since)
  const until = optional(timeParameter, 'until', input.until) ?? new Date(clock.now())
  checkPeriod(since, until)
  const days = (until.getTime() - since.getTime()) / DAY_MS
  if (days > MAX_DAYS) throw new DomainError('RECOVERY_TOO_LONG', { max: MAX_DAYS, given: Math.ceil(days) })
  return { since, until }
}

/** Wakes the workers of all processes when the transaction commits, because a delivery is due. */
async function notifyWorkers(db: Kysely<Database>): Promise<void> {
  await sql`select pg_notify(${DELIVERIES_CHANNEL}, '')`.execute(db)
}
