import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { HttpErrorCode } from '../../../src/platform/net/error-codes.ts'
import type { Send } from '../../../src/webhooks/send.ts'
import { ok, noResponse, status } from '../../support/webhooks/receiver-farm.ts'
import { AGENT, QUICK, senderWithin, useWorkerWorld } from '../../support/webhooks/worker-world.ts'
import { eventually } from '../../support/eventually.ts'
import { scaled } from '../../support/machine-speed.ts'

const world = useWorkerWorld()

test('an outcome after the lease expired is logged as stale and changes nothing else', async () => {
  const id = await world.subscribe('/slow')
  const pending: (() => void)[] = []
  world.farm.respond('/slow', (_, response) => pending.push(() => response.end('late')))
  // With a lease shorter than the deadline, this worker looks crashed to the others.
  const limits = { ...QUICK, leaseMs: 60, deadlineMs: 10_000 }
  const send = senderWithin(limits.deadlineMs)
  // It does not look for expired leases, so it does not send again itself.
  const frozen = world.worker({ limits: { ...limits, reclaimMs: 60_000 }, send })
  await world.emit({})
  await eventually(() => expect(world.farm.receivedAt('/slow')).toHaveLength(1))
  world.farm.respond('/slow', (_, response) => pending.push(() => response.writeHead(500).end()))
  world.worker({ limits: { ...limits, leaseMs: 10_000 }, send })
  void frozen.stop()
  await eventually(() => expect(world.farm.receivedAt('/slow')).toHaveLength(2))
  const [held] = await world.deliveries(id)
  pending[0]?.()
  await eventually(async () => expect(await world.attempts(id)).toHaveLength(1))
  expect(await world.attempts(id)).toMatchObject([{ outcome: 'stale', response_status: 200, number: 1 }])
  expect(await world.deliveries(id)).toEqual([held])
  pending[1]?.()
  await eventually(async () => expect(await world.statuses(id)).toEqual(['retrying']))
  expect((await world.attempts(id)).map((each) => each.outcome)).toEqual(['stale', 'failure'])
  expect(await world.metric('gateway_webhooks_stale_tokens_total')).toBe(1)
  expect(await world.metric('gateway_webhooks_reclaims_total')).toBe(1)
})

test('a delivery that is lost with its worker many times counts as a failed attempt', async () => {
  const id = await world.subscribe('/poison')
  await world.emit({})
  const lose = (step: number) =>
    sql`update webhook_deliveries set status = 'in_flight', lease_token = 'expired', next_attempt_at = null,
      lease_until = now() - interval '1 s', claim_count = 5, retry_step = ${step}, attempt_count = ${step}`.execute(
      world.kysely,
    )
  await lose(0)
  world.worker()
  await eventually(async () => expect(await world.statuses(id)).toEqual(['retrying']))
  await lose(9)
  await eventually(async () => expect(await world.statuses(id)).toEqual(['failed']))
  expect(await world.attempts(id)).toMatchObject([
    { outcome: 'lost', error_code: 'worker_lost', number: 1 },
    { outcome: 'lost', number: 10, next_attempt_at: null },
  ])
  expect(world.farm.received).toEqual([])
  expect(await world.subscription(id)).toMatchObject({ failing_since: null })
})

test('stop finishes the attempts in flight and leaves other deliveries to other workers', async () => {
  const id = await world.subscribe('/drain')
  const pending: (() => void)[] = []
  world.farm.respond('/drain', (_, response) => pending.push(() => response.end()))
  const worker = world.worker({
    limits: { ...QUICK, deadlineMs: 5_000, leaseMs: 20_000 },
    send: senderWithin(5_000),
  })
  await world.emit({}, {}, {}, {}, {}, {})
  await eventually(() => expect(pending).toHaveLength(3))
  const stopped = worker.stop()
  for (const respond of pending) respond()
  await stopped
  expect((await world.statuses(id)).toSorted()).toEqual([
    'pending',
    'pending',
    'pending',
    'success',
    'success',
    'success',
  ])
  expect(world.farm.receivedAt('/drain')).toHaveLength(3)
  const waiting = (await world.deliveries(id)).filter((row) => row.status === 'pending')
  expect(waiting.map((row) => [row.claim_count, row.lease_token])).toEqual([
    [0, null],
    [0, null],
    [0, null],
  ])
})

test('an unreachable endpoint is paused, one probe decides, and each pause doubles', async () => {
  const id = await world.subscribe('/dead')
  world.farm.respond('/dead', noResponse)
  world.worker({ send: senderWithin(scaled(200)) })
  await world.emit({}, {}, {}, {}, {}, {}, {}, {}, {}, {})
  const health = () => world.subscription(id)
  const pauseSeconds = async (): Promise<number> =>
    Math.round((Date.parse((await health()).paused_until ?? '') - Date.now()) / 1_000)
  await eventually(async () => expect(await health()).toMatchObject({ breaker_opens: 1 }))
  expect(Math.abs((await pauseSeconds()) - 30)).toBeLessThan(3)
  await eventually(async () => expect(await world.statuses(id)).not.toContain('in_flight'))
  const tried = (await world.attempts(id)).length
  expect(tried).toBeLessThan(10)
  const untouched = (await world.deliveries(id)).filter((row) => row.attempt_count === 0)
  expect(untouched).toHaveLength(10 - tried)

  await world.expire()
  await eventually(async () => expect(await health()).toMatchObject({ breaker_opens: 2 }))
  expect(await world.metric('gateway_webhooks_breaker_opens_total')).toBe(2)
  expect(await world.attempts(id)).toHaveLength(tried + 1)
  expect(world.farm.receivedAt('/dead').length).toBeLessThanOrEqual(tried + 1)
  expect(Math.abs((await pauseSeconds()) - 60)).toBeLessThan(3)

  world.farm.respond('/dead', ok)
  // On a busy machine an attempt can still time out, and is due again.
  await eventually(async () => {
    await world.expire()
    expect(new Set(await world.statuses(id))).toEqual(new Set(['success']))
  })
  expect(await health()).toMatchObject({
    breaker_opens: 0,
    connect_failures: 0,
    paused_until: null,
    failing_since: null,
  })
})

/** Seconds to the next attempt, and to the end of the pause, after a failure at each webhook. */
async function delaysAfterFailure(ids: string[], send: Send): Promise<(number | null)[][]> {
  world.worker({ send, random: () => 0.5 })
  await world.emit({})
  return Promise.all(
    ids.map(async (id) => {
      const attempt = await eventually(async () => {
        const [first] = await world.attempts(id)
        return first ?? Promise.reject(new Error('no attempt yet'))
      })
      const { last_failure_at, paused_until } = await world.subscription(id)
      return [attempt.next_attempt_at, paused_until].map((end) =>
        end === null ? null : (Date.parse(end) - Date.parse(last_failure_at ?? '')) / 1_000,
      )
    }),
  )
}

test('an endpoint is paused if it cannot be reached, and a blocked address is tried again after 30 minutes', async () => {
  const expected: Record<Exclude<HttpErrorCode, 'aborted'>, [retry: number, pause: number | null]> = {
    timeout: [5, 30],
    dns_error: [5, 30],
    connect_error: [5, 30],
    tls_error: [5, 30],
    reset: [5, null],
    ssrf_blocked: [1_800, null],
    header_overflow: [5, null],
    too_large: [5, null],
    bad_encoding: [5, null],
    bad_redirect: [5, null],
    protocol_error: [5, null],
  }
  const codes = Object.keys(expected) as HttpErrorCode[]
  const ids = await Promise.all(codes.map((code) => world.subscribe(`/${code}`, { connect_failures: 4 })))
  const delays = await delaysAfterFailure(ids, async ({ url }) => ({
    outcome: 'failure',
    errorCode: new URL(url).pathname.slice(1) as HttpErrorCode,
    durationMs: 1,
  }))
  expect(Object.fromEntries(codes.map((code, i) => [code, delays[i]]))).toEqual(expected)
})

test('each pause is twice as long as the one before, up to 15 minutes', async () => {
  const opens = [0, 1, 2, 3, 4, 5, 6]
  const ids = await Promise.all(
    opens.map((breaker_opens) => world.subscribe('/dead', { connect_failures: 4, breaker_opens })),
  )
  const delays = await delaysAfterFailure(ids, async () => ({
    outcome: 'failure',
    errorCode: 'timeout',
    durationMs: 1,
  }))
  expect(delays.map(([, pause]) => pause)).toEqual([30, 60, 120, 240, 480, 900, 900])
})

test('a half-open breaker lets one probe through, with any number of workers', async () => {
  const id = await world.subscribe('/probe')
  world.farm.respond('/probe', noResponse)
  await world.emit({}, {}, {}, {}, {}, {}, {}, {})
  await world.kysely
    .updateTable('webhook_subscriptions')
    .set({ connect_failures: 5, breaker_opens: 1, paused_until: new Date(Date.now() - 1_000).toISOString() })
    .execute()
  for (let worker = 0; worker < 4; worker += 1) world.worker({ send: senderWithin(scaled(200)) })
  await eventually(async () => expect(await world.subscription(id)).toMatchObject({ breaker_opens: 2 }))
  expect(world.farm.receivedAt('/probe')).toHaveLength(1)
  expect(world.farm.peak('/probe')).toBe(1)
})

test('retries use at most half of the slots, and first attempts leave slots for retries', async () => {
  for (let n = 0; n < 20; n += 1) await world.subscribe(`/old/${n}`, { filter_agent_pda: AGENT })
  await world.emit({})
  await sql`update webhook_deliveries set status = 'retrying', retry_step = 1, attempt_count = 1, trigger = 'retry'`.execute(
    world.kysely,
  )
  const held: (() => void)[] = []
  for (let n = 0; n < 20; n += 1) {
    world.farm.respond(`/old/${n}`, (_, response) => held.push(() => response.end()))
  }
  const worker = world.worker({
    limits: { ...QUICK, concurrency: 8, deadlineMs: 5_000, leaseMs: 20_000 },
    send: senderWithin(5_000),
  })
  await eventually(() => expect(held).toHaveLength(4))
  const fresh = await world.subscribe('/new', { filter_agent_pda: 'new' })
  await world.emit({ agent: 'new' })
  await eventually(async () => expect(await world.statuses(fresh)).toEqual(['success']))
  expect(held).toHaveLength(4)
  const stopped = worker.stop()
  for (const respond of held) respond()
  await stopped
})

test('a failed delivery is not retried if a fork has removed its event', async () => {
  const id = await world.subscribe('/forked')
  const pending: (() => void)[] = []
  world.farm.respond('/forked', (_, response) => pending.push(() => response.writeHead(500).end()))
  world.worker({ limits: { ...QUICK, deadlineMs: 5_000, leaseMs: 20_000 }, send: senderWithin(5_000) })
  await world.emit({})
  await eventually(() => expect(pending).toHaveLength(1))
  await world.kysely.updateTable('outbox_events').set({ cancelled_at: new Date().toISOString() }).execute()
  pending[0]?.()
  await eventually(async () => expect(await world.statuses(id)).toEqual(['cancelled']))
  expect(await world.attempts(id)).toMatchObject([{ outcome: 'failure', response_status: 500 }])
})

test('outcomes are written after the database connection returns', async () => {
  const id = await world.subscribe('/cut')
  const pending: (() => void)[] = []
  world.farm.respond('/cut', (_, response) => pending.push(() => response.end()))
  world.worker({ limits: { ...QUICK, deadlineMs: 5_000, leaseMs: 20_000 }, send: senderWithin(5_000) })
  await world.emit({}, {}, {})
  await eventually(() => expect(pending).toHaveLength(3))
  const cut = sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await cut.execute(world.kysely)
  for (const respond of pending) respond()
  await eventually(async () => expect(await world.statuses(id)).toEqual(['success', 'success', 'success']))
  expect(world.farm.receivedAt('/cut')).toHaveLength(3)
  await world.emit({})
  await eventually(() => expect(world.farm.receivedAt('/cut')).toHaveLength(4))
  world.farm.respond('/cut', status(200))
  pending[3]?.()
})
