import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { RowOf } from '../db/columns-of.ts'
import type { Database } from '../db/database.ts'
import type { WebhookAttempt, WebhookDelivery } from '../db/entities/webhooks.ts'
import { countRows, type PageRow, readPage } from '../db/keyset.ts'
import {
  type Connection,
  type ConnectionInput,
  connectionOf,
  cursorOf,
  isInteger,
  isText,
  readSpan,
} from '../domain/connection.ts'
import { DomainError } from '../domain/errors.ts'
import { pageBounds, type PageInput } from '../domain/page.ts'
import {
  integerParameter,
  optional,
  type PeriodInput,
  pubkeyParameter,
  readPeriod,
} from '../domain/parameters.ts'
import { isUuid } from '../domain/uuid.ts'
import type { WebhookEventType } from '../domain/webhook-events.ts'

/** One request to the receiver. Times are ISO 8601 in UTC with milliseconds. */
export interface AttemptRecord extends Omit<
  RowOf<typeof WebhookAttempt>,
  'id' | 'deliveryId' | 'signatures'
> {
  /** One `name: value` a line. */
  readonly signedHeaders: string | null
}

/** The last attempts of a delivery that are shown. Only requests of its owner cause more. */
export const ATTEMPTS_SHOWN = 20

type DeliveryRow = RowOf<typeof WebhookDelivery>

/** The delivery of one event to one webhook. */
export interface DeliveryRecord extends Pick<
  DeliveryRow,
  'id' | 'eventId' | 'eventType' | 'status' | 'attemptCount' | 'nextAttemptAt' | 'createdAt' | 'completedAt'
> {
  readonly subscriptionId: string
  /** Only for test events. */
  readonly exampleOf: WebhookEventType | null
  /** The last `ATTEMPTS_SHOWN`, newest first. */
  readonly attempts: readonly AttemptRecord[]
}

const iso = (column: string) => sql.raw(`to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)

const SIGNED_HEADERS = sql`regexp_replace(a.signatures, '^(\\d+) (\\S+) (.*)$',
  E'X-Service-Timestamp: \\\\1\\nX-Service-Signature: \\\\2\\nwebhook-timestamp: \\\\1\\nwebhook-signature: \\\\3')`

/** The columns of a DeliveryRecord, selected from `webhook_deliveries as d`. */
const COLUMNS = sql`
  d.id, d.subscription_id as "subscriptionId", d.event_id as "eventId", d.event_type as "eventType", d.status, d.attempt_count as "attemptCount",
  d.next_attempt_at as "nextAttemptAt", d.created_at as "createdAt", d.completed_at as "completedAt",
  case when d.event_type = 'ping' then nullif(d.body::json ->> 'type', 'ping') end as "exampleOf",
  coalesce((
    select json_agg(json_build_object(
      'number', a.number, 'trigger', a.trigger, 'outcome', a.outcome, 'startedAt', ${iso('a.started_at')},
      'durationMs', a.duration_ms, 'responseStatus', a.response_status, 'errorCode', a.error_code,
      'responseExcerpt', left(a.response_excerpt, 1000), 'signedHeaders', ${SIGNED_HEADERS},
      'nextAttemptAt', ${iso('a.next_attempt_at')}
    ) order by a.id desc)
    from (select * from webhook_attempts where delivery_id = d.id order by id desc limit ${sql.lit(ATTEMPTS_SHOWN)}) as a
  ), '[]') as attempts`

/** Deletes the attempts of deliveries that are not shown after their next attempt. */
export async function deleteHiddenAttempts(db: Kysely<Database>, ids: readonly string[]): Promise<void> {
  await sql`
    delete from webhook_attempts a using webhook_deliveries d
    where d.id = any(${ids}::text[]) and a.delivery_id = d.id
      and a.number <= d.attempt_count - ${sql.lit(ATTEMPTS_SHOWN - 1)}`.execute(db)
}

/** A delivery of a wallet's webhook that is not deleted. Null if there is none with this id. */
export async function findDelivery(db: Kysely<Database>, wallet: string, id: string) {
  const { rows } = await sql<DeliveryRecord>`
    select ${COLUMNS} from webhook_deliveries d join webhook_subscriptions s on s.id = d.subscription_id
    where d.id = ${id} and s.wallet = ${wallet} and s.deleted_at is null`.execute(db)
  return rows[0] ?? null
}

/** Reads a delivery of a webhook. Throws DELIVERY_NOT_FOUND. */
export async function readDelivery(db: Kysely<Database>, subscriptionId: string, id: string) {
  if (!isUuid(id)) throw new DomainError('DELIVERY_NOT_FOUND')
  const { rows } = await sql<DeliveryRecord>`
    select ${COLUMNS} from webhook_deliveries d
    where d.id = ${id} and d.subscription_id = ${subscriptionId}`.execute(db)
  if (rows[0] === undefined) throw new DomainError('DELIVERY_NOT_FOUND')
  return rows[0]
}

/** The newest delivery of each webhook, without webhooks that have none. */
export async function readNewest(db: Kysely<Database>, subscriptionIds: readonly string[]) {
  const { rows } = await sql<DeliveryRecord>`
    select ${COLUMNS} from unnest(${subscriptionIds}::text[]) as s (id) cross join lateral (
      select * from webhook_deliveries where subscription_id = s.id order by created_at desc, id desc limit 1
    ) as d`.execute(db)
  return rows
}

/** The bodies of deliveries as a request has them now, by id, without those that are not stored. */
export async function readBodies(db: Kysely<Database>, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; body: string | null }>`
    select d.id, coalesce(d.body, o.body) as body from webhook_deliveries d
    left join lateral (select body from outbox_events where id = d.event_id limit 1) o on true
    where d.id = any(${ids}::text[])`.execute(db)
  return new Map(rows.flatMap(({ id, body }) => (body === null ? [] : [[id, body] as const])))
}

/** All conditions must hold. Null is the same as absent. Lists must not be empty. */
export interface DeliveryFilter extends PeriodInput {
  readonly statuses?: readonly DeliveryRow['status'][] | null
  readonly eventTypes?: readonly DeliveryRow['eventType'][] | null
  readonly agentPda?: string | null
}

type Lists = Readonly<Partial<Record<'statuses' | 'eventTypes', readonly string[] | null>>>

/** Throws INVALID_REQUEST for an empty list. */
export function checkLists(lists: Lists): void {
  for (const list of ['statuses', 'eventTypes'] as const)
    if (lists[list]?.length === 0)
      throw new DomainError('INVALID_REQUEST', { problem: `${list} must contain at least one value` })
}

/** The deliveries that a filter by status, type or agent compares. It has no index. */
export const MAX_FILTERED = 10_000

/** Throws INVALID_REQUEST for an empty list, INVALID_TEXT, INVALID_RANGE and INVALID_PUBKEY. */
function matchingDeliveries(subscriptionId: string, filter: DeliveryFilter): RawBuilder<unknown> {
  const { statuses, eventTypes } = filter
  const agentPda = optional(pubkeyParameter, 'agentPda', filter.agentPda)
  checkLists(filter)
  const { since, until } = readPeriod(filter)
  const ofPeriod = sql`select * from webhook_deliveries where subscription_id = ${subscriptionId}
    ${since === undefined ? sql`` : sql`and created_at >= ${since}`}
    ${until === undefined ? sql`` : sql`and created_at < ${until}`}`
  if (!statuses && !eventTypes && !agentPda) return sql`(${ofPeriod})`
  return sql`(
    select * from (${ofPeriod} order by created_at desc, id desc limit ${sql.lit(MAX_FILTERED)}) as d
    where ${statuses ? sql`status = any(${[...statuses]}::text[])` : sql`true`}
      and ${eventTypes ? sql`event_type = any(${[...eventTypes]}::text[])` : sql`true`}
      -- Test events are of no agent.
      and ${agentPda ? sql`exists (select from outbox_events where id = d.event_id and agent_pda = ${agentPda})` : sql`true`})`
}

/** One page of a webhook's log, newest first, and the exact total of the same snapshot. */
export async function listDeliveries(kysely: Kysely<Database>, subscriptionId: string, input: PageInput) {
  const bounds = pageBounds(input)
  const { rows } = await sql<PageRow<DeliveryRecord>>`
    select counted.total, ${COLUMNS}
    from (select count(*) as total from webhook_deliveries where subscription_id = ${subscriptionId}) as counted
    left join (
      select * from webhook_deliveries where subscription_id = ${subscriptionId}
      order by created_at desc, id desc limit ${bounds.limit} offset ${bounds.offset}
    ) as d on true
    order by d.created_at desc, d.id desc`.execute(kysely)
  return readPage(rows, 'id', bounds)
}

export interface DeliveriesInput extends ConnectionInput {
  readonly filter?: DeliveryFilter | null
}

/** Rows have microseconds. The `createdAt` of a record has milliseconds only. */
const MICROSECONDS = sql`(extract(epoch from d.created_at) * 1000000)::int8`

/**
 * A page between cursors, newest first. Throws INVALID_INTEGER, INVALID_CURSOR and what the filter
 * throws.
 */
export async function listDeliveriesConnection(
  kysely: Kysely<Database>,
  subscriptionId: string,
  { filter, ...input }: DeliveriesInput,
): Promise<Connection<DeliveryRecord>> {
  const span = readSpan<readonly [number, string]>('deliveries', input, [isInteger, isText])
  const { size, backward, after, before } = span
  const deliveries = matchingDeliveries(subscriptionId, filter ?? {})
  const direction = backward ? sql`asc` : sql`desc`
  const key = ([at, id]: readonly [number, string]) =>
    sql`('epoch'::timestamptz + ${at}::float8 * interval '1 microsecond', ${id})`
  const { rows } = await sql<DeliveryRecord & { at: number }>`
    select ${COLUMNS}, ${MICROSECONDS} as at from ${deliveries} d
    where true
      ${after === undefined ? sql`` : sql`and (d.created_at, d.id) < ${key(after)}`}
      ${before === undefined ? sql`` : sql`and (d.created_at, d.id) > ${key(before)}`}
    order by d.created_at ${direction}, d.id ${direction} limit ${size + 1}`.execute(kysely)
  return connectionOf(
    rows,
    span,
    (row) => cursorOf('deliveries', [row.at, row.id]),
    () => countRows(kysely, sql`select count(*) from ${deliveries} d`),
  )
}

/** What the receiver did. Times are in milliseconds, null without attempts. */
export interface DeliveryFigures {
  readonly attempts: number
  readonly succeeded: number
  readonly p50Ms: number | null
  readonly p95Ms: number | null
}

export const FIGURE_HOURS = { min: 1, max: 168, default: 24 } as const
/** The deliveries whose attempts are read. */
export const MAX_FIGURED = 2_000
const readHours = integerParameter(FIGURE_HOURS)

/** Attempts of the last hours, of the newest `MAX_FIGURED` deliveries. Throws INVALID_INTEGER. */
export async function readFigures(
  kysely: Kysely<Database>,
  subscriptionId: string,
  hours: number | null | undefined,
): Promise<DeliveryFigures> {
  const period = optional(readHours, 'hours', hours) ?? FIGURE_HOURS.default
  const { rows } = await sql<DeliveryFigures>`
    select count(*)::integer as attempts, (count(*) filter (where outcome = 'success'))::integer as succeeded,
      percentile_disc(0.5) within group (order by duration_ms) as "p50Ms",
      percentile_disc(0.95) within group (order by duration_ms) as "p95Ms"
    from (
      select id from webhook_deliveries where subscription_id = ${subscriptionId}
      order by created_at desc, id desc limit ${sql.lit(MAX_FIGURED)}
    ) d cross join lateral (
      select outcome, duration_ms from webhook_attempts
      where delivery_id = d.id and started_at > now() - ${period} * interval '1 hour'
    ) a`.execute(kysely)
  return rows[0]!
}
