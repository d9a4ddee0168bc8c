import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { PageInput } from '../../../src/domain/page.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../../src/domain/webhook-events.ts'
import { exampleEvent } from '../../../src/ledger/decode/webhook-events.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { cancelWaiting } from '../../../src/webhooks/cancel.ts'
import {
  type DeliveryFilter,
  listDeliveries,
  listDeliveriesConnection,
  MAX_FIGURED,
  MAX_FILTERED,
  readBodies,
  readDelivery,
  readFigures,
} from '../../../src/webhooks/deliveries.ts'
import {
  pingWebhook,
  recoverDeliveries,
  type RecoverInput,
  resendDelivery,
} from '../../../src/webhooks/requests.ts'
import { readWebhookStats } from '../../../src/webhooks/metrics.ts'
import { walletOf } from '../../support/wallet.ts'
import { status } from '../../support/webhooks/receiver-farm.ts'
import { QUICK, SECRET, signatureOf, useWorkerWorld } from '../../support/webhooks/worker-world.ts'
import { eventually } from '../../support/eventually.ts'
import { deleteOldRows } from '../../../src/webhooks/maintenance.ts'

const world = useWorkerWorld()

const list = (id: string, page: PageInput = {}) => listDeliveries(world.kysely, id, page)
const caller = { wallet: walletOf('owner').pubkey, clientIp: '203.0.113.1' }
const dependencies = () => ({
  kysely: world.kysely,
  clock: systemClock,
  newId: () => 'id',
  sendLimit: null,
})
const resend = (id: string, deliveryId: string) => resendDelivery(id, caller, deliveryId, dependencies())
const recover = (id: string, input: RecoverInput) => recoverDeliveries(id, caller, input, dependencies())
const ping = (id: string, type?: WebhookEventType) =>
  pingWebhook(id, caller, dependencies(), type && exampleEvent(type))
const SIGNED = ['X-Service-Timestamp', 'X-Service-Signature', 'webhook-timestamp', 'webhook-signature']
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

describe('a filter of deliveries', () => {
  /** The numbers of the events in every page of two, and the total. */
  async function found(id: string, filter: DeliveryFilter): Promise<[string[], number]> {
    const events: string[] = []
    let after: string | null = null
    for (;;) {
      const page = await listDeliveriesConnection(world.kysely, id, { filter, first: 2, after })
      events.push(...page.edges.map(({ node }) => node.eventId))
      after = page.edges.at(-1)?.cursor ?? null
      if (!page.hasNextPage) return [events, await page.count()]
    }
  }

  test('finds them by status, event type and time, in pages, with their total', async () => {
    const id = await world.subscribe('/filtered')
    await world.subscribe('/other')
    const [a, b, c, d] = await world.emit({}, { type: 'agent.closed' }, {}, { type: 'stake.deposited' })
    for (const [hours, event] of [a, b, c, d].entries())
      await sql`update webhook_deliveries set created_at = ${`2026-11-20T0${hours}:00:00Z`} where event_id = ${event}`.execute(
        world.kysely,
      )
    await sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
      where event_id = any(${[a, b]})`.execute(world.kysely)
    expect(await found(id, {})).toEqual([[d, c, b, a], 4])
    expect(await found(id, { statuses: ['failed'] })).toEqual([[b, a], 2])
    expect(await found(id, { statuses: ['pending', 'failed'], eventTypes: ['agent.updated'] })).toEqual([
      [c, a],
      2,
    ])
    expect(await found(id, { eventTypes: ['ping'] })).toEqual([[], 0])
    expect(await found(id, { since: '2026-11-20T01:00:00Z', until: '2026-11-20T04:00:00+01:00' })).toEqual([
      [c, b],
      2,
    ])
    expect(await found(id, { statuses: ['failed'], since: '2026-11-20T01:00:00Z' })).toEqual([[b], 1])
  })

  test('finds the deliveries of an agent. Tests are of none', async () => {
    const id = await world.subscribe('/of-an-agent')
    const agent = walletOf('an agent').pubkey
    const [, closed, updated] = await world.emit({}, { agent, type: 'agent.closed' }, { agent })
    await ping(id)
    expect(await found(id, { agentPda: agent })).toEqual([[updated, closed], 2])
    expect(await found(id, { agentPda: agent, eventTypes: ['agent.closed'] })).toEqual([[closed], 1])
    expect(await found(id, { agentPda: caller.wallet })).toEqual([[], 0])
    await expect(found(id, { agentPda: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_PUBKEY' })
  })

  test('refuses empty lists and wrong periods', async () => {
    const refusal = (filter: DeliveryFilter) => found('any', filter).catch(({ message }: Error) => message)
    expect(await refusal({ statuses: [] })).toBe('statuses must contain at least one value')
    expect(await refusal({ eventTypes: [] })).toBe('eventTypes must contain at least one value')
    expect(await refusal({ since: 'today' })).toContain('since must be an ISO 8601 time with a time zone')
    expect(await refusal({ since: '2026-11-21T00:00:00Z', until: '2026-11-20T00:00:00Z' })).toContain(
      'since must not be greater than until',
    )
  })

  test('compares no more than the newest 10,000 of the period', async () => {
    const id = await world.subscribe('/many')
    await sql`insert into webhook_deliveries (subscription_id, event_id, event_type, created_at, next_attempt_at)
      select ${id}, 'event' || n, case when n = 1 then 'agent.closed' else 'agent.updated' end,
        '2026-11-20'::timestamptz + n * interval '1 s', now() + interval '1 day'
      from generate_series(1, ${MAX_FILTERED + 1}::integer) n`.execute(world.kysely)
    expect(await found(id, { eventTypes: ['agent.closed'] })).toEqual([[], 0])
    expect(await found(id, { eventTypes: ['agent.closed'], until: '2026-11-20T01:00:00Z' })).toEqual([
      ['event1'],
      1,
    ])
  })
})

test('figures count the attempts of the last hours, of the newest deliveries', async () => {
  const id = await world.subscribe('/figures')
  const none = { attempts: 0, succeeded: 0, p50Ms: null, p95Ms: null }
  expect(await readFigures(world.kysely, id, null)).toEqual(none)
  await sql`insert into webhook_deliveries (id, subscription_id, event_id, event_type, created_at, next_attempt_at)
    select 'd' || n, ${id}, 'event' || n, 'agent.updated', now() - n * interval '1 s', now() + interval '1 day'
    from generate_series(1, ${MAX_FIGURED + 1}::integer) n`.execute(world.kysely)
  const attempted = (delivery: string, outcome: string, ms: number, hours: number) =>
    sql`insert into webhook_attempts (delivery_id, number, trigger, outcome, started_at, duration_ms)
      values (${delivery}, 1, 'event', ${outcome}, now() - ${hours} * interval '1 hour', ${ms})`.execute(
      world.kysely,
    )
  for (let ms = 1; ms <= 20; ms += 1)
    await attempted(`d${ms}`, ms <= 5 ? 'failure' : 'success', ms, ms === 20 ? 30 : 2)
  await attempted(`d${MAX_FIGURED + 1}`, 'success', 9_999, 1)
  expect(await readFigures(world.kysely, id, null)).toEqual({
    attempts: 19,
    succeeded: 14,
    p50Ms: 10,
    p95Ms: 19,
  })
  expect(await readFigures(world.kysely, id, 168)).toEqual({
    attempts: 20,
    succeeded: 15,
    p50Ms: 10,
    p95Ms: 19,
  })
  expect(await readFigures(world.kysely, id, 1)).toEqual(none)
  for (const hours of [0, 169, 1.5])
    await expect(readFigures(world.kysely, id, hours)).rejects.toMatchObject({ code: 'INVALID_INTEGER' })
})

test('the delivery log returns pages of deliveries with their attempts, newest first', async () => {
  const id = await world.subscribe('/log')
  await world.subscribe('/other')
  world.farm.respond('/log', status(503))
  const events = await world.emit({}, { type: 'agent.closed' }, {})
  world.worker()
  await eventually(async () => expect(await world.statuses(id)).toEqual(['retrying', 'retrying', 'retrying']))
  const sent = new Map(
    world.farm.receivedAt('/log').map(({ headers, body }) => [String(headers['x-service-delivery']), body]),
  )
  expect(await readBodies(world.kysely, [...sent.keys(), 'unknown'])).toEqual(sent)
  const page = await list(id, { limit: 2, offset: 1 })
  expect(page).toMatchObject({ total: 3, limit: 2, offset: 1 })
  expect(page.rows.map((row) => row.eventId)).toEqual([events[1], events[0]])
  const request = world.farm
    .receivedAt('/log')
    .find(({ headers }) => headers['x-service-delivery'] === page.rows[0]?.id)
  expect(page.rows[0]).toMatchObject({
    id: expect.any(String),
    eventId: events[1],
    eventType: 'agent.closed',
    status: 'retrying',
    attemptCount: 1,
    nextAttemptAt: expect.stringMatching(ISO),
    createdAt: expect.stringMatching(ISO),
    completedAt: null,
    attempts: [
      {
        number: 1,
        trigger: 'event',
        outcome: 'failure',
        startedAt: expect.stringMatching(ISO),
        durationMs: expect.any(Number),
        responseStatus: 503,
        errorCode: null,
        responseExcerpt: null,
        signedHeaders: SIGNED.map((name) => `${name}: ${String(request?.headers[name.toLowerCase()])}`).join(
          '\n',
        ),
        nextAttemptAt: page.rows[0]?.nextAttemptAt,
      },
    ],
  })
  expect(await list('unknown')).toMatchObject({ total: 0, rows: [] })
})

test('a delivery with any status can be sent again at once, even if its endpoint is paused', async () => {
  const id = await world.subscribe('/again')
  const [event] = await world.emit({})
  const worker = world.worker()
  await eventually(async () => expect(await world.statuses(id)).toEqual(['success']))
  await world.kysely
    .updateTable('webhook_subscriptions')
    .set({ paused_until: new Date(Date.now() + 600_000).toISOString(), connect_failures: 7 })
    .execute()
  const [delivery] = await world.deliveries(id)
  const record = await resend(id, delivery!.id)
  expect(record).toMatchObject({ id: delivery!.id, eventId: event, status: 'retrying', completedAt: null })
  await eventually(() => expect(world.farm.receivedAt('/again')).toHaveLength(2))
  await eventually(async () => expect(await world.statuses(id)).toEqual(['success']))
  await worker.stop()
  const { rows } = await list(id)
  expect(rows[0]?.attempts.map(({ number, trigger }) => [number, trigger])).toEqual([
    [2, 'resend'],
    [1, 'event'],
  ])
  expect(new Set(world.farm.receivedAt('/again').map(({ body }) => body)).size).toBe(1)
})

test('resend, ping and recover are refused if they are not possible', async () => {
  const id = await world.subscribe('/refused')
  const other = await world.subscribe('/other')
  await world.emit({})
  const [delivery] = await world.deliveries(id)
  await expect(resend(other, delivery!.id)).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' })
  for (const noUuid of ['no uuid', '\0']) {
    await expect(resend(id, noUuid)).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' })
    await expect(readDelivery(world.kysely, id, noUuid)).rejects.toMatchObject({
      code: 'DELIVERY_NOT_FOUND',
    })
  }
  await world.kysely.updateTable('outbox_events').set({ cancelled_at: new Date().toISOString() }).execute()
  await expect(resend(id, delivery!.id)).rejects.toMatchObject({ code: 'EVENT_WITHDRAWN' })
  for (const change of [{ active: false }, { active: true, deleted_at: new Date().toISOString() }]) {
    await world.kysely.updateTable('webhook_subscriptions').set(change).execute()
    await expect(resend(id, delivery!.id)).rejects.toMatchObject({ code: 'WEBHOOK_INACTIVE' })
    await expect(ping(id)).rejects.toMatchObject({ code: 'WEBHOOK_INACTIVE' })
    await expect(recover(id, { since: new Date().toISOString() })).rejects.toMatchObject({
      code: 'WEBHOOK_INACTIVE',
    })
  }
})

test('recovery sends only failed and cancelled deliveries of the given period again', async () => {
  const id = await world.subscribe('/recover')
  await world.emit({}, {}, {}, {})
  const set = (number: number, values: string, hoursAgo: number) =>
    sql`update webhook_deliveries set ${sql.raw(values)}, created_at = now() - ${hoursAgo} * interval '1 hour'
      where id = (select id from webhook_deliveries order by event_id offset ${number} limit 1)`.execute(
      world.kysely,
    )
  const ended = 'next_attempt_at = null, completed_at = now(), attempt_count = 10, retry_step = 10'
  await set(0, `status = 'failed', ${ended}`, 3)
  await set(1, `status = 'cancelled', ${ended}`, 2)
  await set(2, `status = 'success', ${ended}`, 2)
  await set(3, `status = 'failed', ${ended}`, 30)
  const since = new Date(Date.now() - 5 * 3_600_000).toISOString()
  expect(await recover(id, { since })).toEqual({ recovered: 2, more: false, last: expect.any(String) })
  expect(await recover(id, { since })).toEqual({ recovered: 0, more: false, last: null })
  world.worker()
  await eventually(async () =>
    expect((await world.statuses(id)).toSorted()).toEqual(['failed', 'success', 'success', 'success']),
  )
  expect((await world.attempts(id)).map(({ trigger, number }) => [trigger, number])).toEqual([
    ['recover', 11],
    ['recover', 11],
  ])
})

test('a recovery includes its start and not its end, like a filter of deliveries', async () => {
  const id = await world.subscribe('/period')
  const events = await world.emit({}, {}, {})
  for (const [hours, event] of events.entries())
    await sql`update webhook_deliveries set created_at = ${`2026-11-20T0${hours}:00:00Z`}, status = 'failed',
      next_attempt_at = null, completed_at = now() where event_id = ${event}`.execute(world.kysely)
  const period = { since: '2026-11-20T00:00:00Z', until: '2026-11-20T02:00:00Z' }
  const { edges } = await listDeliveriesConnection(world.kysely, id, {
    filter: period,
    first: 5,
    after: null,
  })
  expect(edges.map(({ node }) => node.eventId).toReversed()).toEqual(events.slice(0, 2))
  expect(await recover(id, period)).toMatchObject({ recovered: 2 })
  const left = await world.deliveries(id)
  expect(left.filter(({ status }) => status === 'failed').map((each) => each.event_id)).toEqual([events[2]])
})

test('deliveries that succeeded are sent again by their type, and a limited call continues after the last', async () => {
  const id = await world.subscribe('/replay')
  const agentPda = walletOf('an agent').pubkey
  await world.emit({}, { type: 'agent.closed' }, { agent: agentPda }, { type: 'agent.closed' }, {})
  const other = await world.subscribe('/other')
  const worker = world.worker()
  await world.quiet()
  await worker.stop()
  // With one time for all, their ids decide.
  await world.kysely.updateTable('webhook_deliveries').set({ created_at: new Date().toISOString() }).execute()
  const all = (await world.deliveries(id)).map((each) => each.id).toSorted()
  const since = new Date(Date.now() - 3_600_000).toISOString()
  const replay = (input: Partial<RecoverInput>, sendLimit: number | null = null) =>
    recoverDeliveries(id, caller, { since, ...input }, { ...dependencies(), sendLimit })
  expect(await replay({ eventTypes: ['agent.closed'] })).toMatchObject({ recovered: 0 })
  const first = await replay({ statuses: ['success', 'failed'] }, 2)
  expect(first).toEqual({ recovered: 2, more: true, last: all[1] })
  world.worker()
  const allSucceeded = () =>
    eventually(async () => expect(new Set(await world.statuses(id))).toEqual(new Set(['success'])))
  await allSucceeded()
  const rest = { statuses: ['success'], continueAfter: first.last } as const
  expect(await replay(rest)).toEqual({ recovered: 3, more: false, last: all[4] })
  await eventually(() => expect(world.farm.receivedAt('/replay')).toHaveLength(10))
  await allSucceeded()
  expect(await replay({ statuses: ['success'], eventTypes: ['agent.closed'] })).toMatchObject({
    recovered: 2,
  })
  await allSucceeded()
  expect(await replay({ statuses: ['success'], agentPda })).toMatchObject({ recovered: 1, more: false })
  await expect(replay({ agentPda: 'nonsense' })).rejects.toMatchObject({ code: 'INVALID_PUBKEY' })
  const [foreign] = await world.deliveries(other)
  for (const continueAfter of [foreign?.id ?? 'none', 'no uuid', ''])
    await expect(replay({ continueAfter })).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' })
  for (const [input, text] of [
    [{ statuses: [] }, 'statuses must contain at least one value'],
    [{ eventTypes: [] }, 'eventTypes must contain at least one value'],
    [{ statuses: ['failed', 'pending'] }, 'statuses can contain success, failed and cancelled, got pending'],
  ] as const)
    await expect(replay(input)).rejects.toThrow(text)
})

test.each([
  [{ since: 'yesterday' }, 'since must be an ISO 8601 time with a time zone'],
  [{ since: '2026-13-01T00:00:00Z' }, 'since must be an ISO 8601 time with a time zone'],
  [{ since: '2026-11-01T00:00:00Z', until: '2026-11-16T00:00:00Z' }, 'at most 14 days apart, got 15'],
  [
    { since: '2026-11-02T00:00:00Z', until: '2026-11-01T00:00:00Z' },
    'since must not be greater than until, got 2026-11-02T00:00:00.000Z and 2026-11-01T00:00:00.000Z',
  ],
])('recovery refuses the input %j', async (input, text) => {
  await expect(recover('id', input)).rejects.toThrow(text)
})

test('a period of a recovery can have the offset of any time zone', async () => {
  const webhook = await world.subscribe('/offset')
  const hours = (count: number): string => new Date(Date.now() + count * 3_600_000).toISOString().slice(0, 19)
  // The same moments, one hour ago and now, as clocks east and west of Greenwich show them.
  const input = { since: `${hours(4.5)}+05:30`, until: `${hours(-8)}-08:00` }
  expect(await recover(webhook, input)).toMatchObject({ recovered: 0, more: false })
  await expect(recover(webhook, { ...input, until: `${hours(-10)}-08:00` })).rejects.toThrow(
    'since must not be',
  )
})

test('a ping is signed, sent and logged like an event', async () => {
  const id = await world.subscribe('/ping', { event_types: ['agent.closed'], filter_agent_pda: 'pda' })
  world.worker()
  const record = await ping(id)
  expect(record).toMatchObject({ eventId: 'ping_id', eventType: 'ping', exampleOf: null, status: 'pending' })
  await eventually(async () => expect(await world.statuses(id)).toEqual(['success']))
  const [received] = world.farm.receivedAt('/ping')
  expect(received?.headers).toMatchObject({
    'x-service-event': 'ping',
    'x-service-signature': signatureOf(
      SECRET,
      String(received?.headers['x-service-timestamp']),
      received!.body,
    ),
  })
  expect(received?.event).toEqual({
    id: 'ping_id',
    type: 'ping',
    pda: 'pda',
    slot: 0,
    timestamp: expect.stringMatching(ISO),
    data: { webhookId: id },
  })
})

test.each(WEBHOOK_EVENT_TYPES)('a test event can be an example of %s', async (type) => {
  const path = `/example/${type}`
  const [any, one] = [await world.subscribe(path), await world.subscribe(path, { filter_agent_pda: 'pda' })]
  world.worker()
  const { agentPda, data } = exampleEvent(type)
  for (const [id, pda] of [
    [any, agentPda],
    [one, 'pda'],
  ] as const) {
    expect(await ping(id, type)).toMatchObject({ eventType: 'ping', exampleOf: type })
    await eventually(async () => expect(await world.statuses(id)).toEqual(['success']))
    const received = world.farm.receivedAt(path).at(-1)
    expect(received?.headers).toMatchObject({ 'x-service-event': type })
    expect(received?.event).toMatchObject({
      id: 'ping_id',
      type,
      pda,
      data: { ...data, agentPda: pda },
      test: true,
    })
  }
})

test('a ping wakes a worker that rarely polls', async () => {
  const id = await world.subscribe('/woken')
  const worker = world.worker({ limits: { ...QUICK, pollMs: 600_000 } })
  await eventually(() => expect(worker.lastPolledAt()).not.toBeNull())
  await ping(id)
  await eventually(async () => expect(await world.statuses(id)).toEqual(['success']))
})

test('disabling a webhook cancels waiting deliveries and leaves claimed ones alone', async () => {
  const id = await world.subscribe('/off')
  await world.emit({}, {}, {})
  await sql`update webhook_deliveries set status = 'in_flight', next_attempt_at = null, lease_token = 'held',
    lease_until = now() + interval '1 hour' where id = (select id from webhook_deliveries limit 1)`.execute(
    world.kysely,
  )
  expect(await cancelWaiting(world.kysely, id)).toBe(2)
  expect((await world.statuses(id)).toSorted()).toEqual(['cancelled', 'cancelled', 'in_flight'])
})

test('waiting deliveries of an inactive webhook are never sent, and maintenance cancels them', async () => {
  const id = await world.subscribe('/left')
  await world.emit({}, {})
  await world.kysely.updateTable('webhook_subscriptions').set({ active: false }).execute()
  const on = await world.subscribe('/on')
  await world.emit({})
  world.worker()
  await eventually(async () => expect(await world.statuses(on)).toEqual(['success']))
  await eventually(async () => expect(await world.statuses(id)).toEqual(['cancelled', 'cancelled']))
  expect(world.farm.receivedAt('/left')).toEqual([])
})

test('the log is kept for 30 days, and a deleted webhook is removed with its log', async () => {
  const id = await world.subscribe('/old')
  await world.emit({}, {})
  world.worker()
  await eventually(async () => expect(await world.statuses(id)).toEqual(['success', 'success']))
  await sql`update webhook_deliveries set created_at = now() - interval '31 days', completed_at = now() - interval '31 days'
    where id = (select id from webhook_deliveries limit 1)`.execute(world.kysely)
  await sql`update webhook_attempts set started_at = now() - interval '31 days'
    where id = (select min(id) from webhook_attempts)`.execute(world.kysely)
  await sql`update webhook_subscriptions set deleted_at = now() - interval '31 days'`.execute(world.kysely)
  expect(await deleteOldRows(world.kysely)).toBe(2)
  expect(await world.statuses(id)).toHaveLength(1)
  await world.kysely.deleteFrom('webhook_deliveries').execute()
  world.worker()
  await eventually(() => expect(world.subscription(id)).rejects.toThrow('no result'))
})

test('the statistics count subscriptions, deliveries and attempts', async () => {
  const id = await world.subscribe('/stats')
  await world.emit({}, {})
  await sql`update webhook_deliveries set next_attempt_at = now() - interval '90 s'`.execute(world.kysely)
  await world.subscribe('/paused')
  await world.kysely
    .updateTable('webhook_subscriptions')
    .set({ paused_until: new Date(Date.now() + 60_000).toISOString() })
    .where('id', '<>', id)
    .execute()
  const stats = await readWebhookStats(world.kysely)
  expect(stats).toMatchObject({
    subscriptions: { active: 2, paused: 1, disabled: 0 },
    deliveries: { pending: 2, retrying: 0, inFlight: 0, expired: 0 },
    dueAge: { retrying: null },
    lastHour: {},
  })
  expect(stats.dueAge.pending).toBeGreaterThanOrEqual(90)
  await world.kysely.updateTable('webhook_subscriptions').set({ paused_until: null }).execute()
  expect(await readWebhookStats(world.kysely)).toMatchObject({ subscriptions: { paused: 0 } })
})
