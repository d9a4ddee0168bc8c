import { beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from 'kysely'
import { ok, status } from '../../support/webhooks/receiver-farm.ts'
import {
  box,
  QUICK,
  SECRET,
  senderWithin,
  signatureOf,
  useWorkerWorld,
} from '../../support/webhooks/worker-world.ts'
import { eventually } from '../../support/eventually.ts'
import { FIXED_NOW, NO_LEDGER, useTestApp } from '../../support/app.ts'
import { walletOf } from '../../support/wallet.ts'
import { clientOf, steppingClock, type WalletClient } from '../../support/wallet-client.ts'
import { createWorkerConnection } from '../../../src/webhooks/worker-connection.ts'
import { useTestDatabase } from '../../support/database.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import type { Logger } from '../../../src/platform/logger.ts'
import { Webhook } from 'standardwebhooks'
import { deleteOldRows } from '../../../src/webhooks/maintenance.ts'
import { signStandard } from '../../../src/webhooks/send.ts'
import { MAX_DELIVERIES } from '../../../src/webhooks/enqueue.ts'
import { MAX_NETWORKS } from '../../../src/webhooks/queue.ts'

const world = useWorkerWorld()

const RETRYING = 'delivery attempt failed with an internal error, retrying'

const signedWith = (secret: string, path: string): boolean[] =>
  world.farm
    .receivedAt(path)
    .map(
      ({ headers, body }) =>
        headers['x-service-signature'] === signatureOf(secret, String(headers['x-service-timestamp']), body),
    )

test('an event is sent once, signed, and logged', async () => {
  const id = await world.subscribe('/a')
  world.worker()
  const [event] = await world.emit({})
  await eventually(async () => expect(await world.statuses(id)).toEqual(['success']))
  expect(world.farm.receivedAt('/a')).toMatchObject([
    { event: { id: event }, headers: { 'x-service-attempt': '1' } },
  ])
  expect(signedWith(SECRET, '/a')).toEqual([true])
  const [delivery] = await world.deliveries(id)
  expect(delivery).toMatchObject({ attempt_count: 1, lease_token: null, next_attempt_at: null })
  expect(await world.attempts(id)).toMatchObject([
    { number: 1, trigger: 'event', outcome: 'success', response_status: 200, response_excerpt: 'ok' },
  ])
  expect(await world.metric('gateway_webhooks_attempts_total', { class: '2xx' })).toBe(1)
})

test('a failing delivery is retried on schedule, with ten attempts in total', async () => {
  const id = await world.subscribe('/fails')
  world.farm.respond('/fails', status(500))
  world.worker({ random: () => 0.5 })
  await world.emit({})
  const waits: number[] = []
  for (let attempt = 1; attempt <= 10; attempt += 1) {
    await eventually(async () => expect(await world.attempts(id)).toHaveLength(attempt))
    const [delivery] = await world.deliveries(id)
    expect(delivery).toMatchObject({ attempt_count: attempt, status: attempt < 10 ? 'retrying' : 'failed' })
    waits.push(Math.round((Date.parse(delivery?.next_attempt_at ?? '') - Date.now()) / 1_000))
    await world.expire()
  }
  const schedule = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]
  for (const [step, seconds] of schedule.entries()) expect(Math.abs(waits[step]! - seconds)).toBeLessThan(4)
  expect((await world.attempts(id)).map(({ number, trigger }) => [number, trigger])).toEqual([
    [1, 'event'],
    ...[2, 3, 4, 5, 6, 7, 8, 9, 10].map((number) => [number, 'retry']),
  ])
  expect(world.farm.receivedAt('/fails').map(({ event }) => event.id)).toEqual(
    Array.from({ length: 10 }, () => world.farm.receivedAt('/fails')[0]?.event.id),
  )
})

test('Retry-After pauses all deliveries to the receiver', async () => {
  const id = await world.subscribe('/busy')
  world.farm.respond('/busy', status(429, { 'retry-after': '120' }))
  world.worker()
  await world.emit({})
  await eventually(async () => expect(await world.statuses(id)).toEqual(['retrying']))
  const pause = Date.parse((await world.subscription(id)).paused_until ?? '') - Date.now()
  expect(pause).toBeGreaterThan(110_000)
  const [delivery] = await world.deliveries(id)
  expect(Date.parse(delivery?.next_attempt_at ?? '') - Date.now()).toBeGreaterThan(110_000)
  const calm = await world.subscribe('/calm')
  await world.emit({})
  await eventually(async () => expect(await world.statuses(calm)).toEqual(['success']))
  expect(world.farm.receivedAt('/busy')).toHaveLength(1)
})

test('410 disables the webhook at once and cancels its waiting deliveries', async () => {
  const id = await world.subscribe('/gone')
  world.farm.respond('/gone', status(410))
  await world.emit({}, {}, {}, {}, {}, {})
  world.worker({ limits: { ...QUICK, perEndpoint: 1 } })
  await eventually(async () => expect(await world.statuses(id)).not.toContain('pending'))
  expect(await world.subscription(id)).toMatchObject({ active: false, disabled_reason: 'gone' })
  expect(await world.statuses(id)).toEqual(['failed', ...Array.from({ length: 5 }, () => 'cancelled')])
  expect(world.farm.receivedAt('/gone')).toHaveLength(1)
  expect(await world.metric('gateway_webhooks_disabled_total', { reason: 'gone' })).toBe(1)
})

test('only failures for five days disable a webhook, and a success resets the time', async () => {
  const [bad, good] = [await world.subscribe('/bad'), await world.subscribe('/good')]
  const sixDaysAgo = new Date(Date.now() - 6 * 86_400_000).toISOString()
  await world.kysely.updateTable('webhook_subscriptions').set({ failing_since: sixDaysAgo }).execute()
  world.farm.respond('/bad', status(500))
  world.worker()
  await world.emit({})
  await eventually(async () => expect(await world.subscription(bad)).toMatchObject({ active: false }))
  expect(await world.subscription(bad)).toMatchObject({ disabled_reason: 'failing' })
  await eventually(async () => expect(await world.subscription(good)).toMatchObject({ failing_since: null }))
  expect(await world.subscription(good)).toMatchObject({ active: true, disabled_reason: null })
})

test('an internal error does not count as a failure of the receiver', async () => {
  const id = await world.subscribe('/ours')
  let broken = true
  let opened = 0
  world.worker({
    openSecret: (encrypted, subscription) => {
      opened += 1
      if (broken) throw new Error('wrong key')
      return box.open(subscription, encrypted)
    },
  })
  await world.emit({})
  await eventually(() => expect(opened).toBeGreaterThan(2))
  expect(await world.attempts(id)).toEqual([])
  broken = false
  await eventually(async () => expect(await world.statuses(id)).toEqual(['success']))
  expect(await world.subscription(id)).toMatchObject({ failing_since: null })
  expect(await world.attempts(id)).toMatchObject([{ number: 1, outcome: 'success' }])
})

test('a delivery whose event is missing is not sent, and is logged', async () => {
  const id = await world.subscribe('/missing')
  await world.emit({})
  await world.kysely.deleteFrom('outbox_events').execute()
  const error = vi.fn<Logger['error']>()
  world.worker({ logger: { ...silentLogger, error } })
  const err = expect.objectContaining({ message: 'the event of this delivery is missing in outbox_events' })
  await eventually(() => expect(error).toHaveBeenCalledWith(expect.objectContaining({ err }), RETRYING))
  expect(world.farm.receivedAt('/missing')).toEqual([])
  expect(await world.attempts(id)).toEqual([])
})

test('a notification wakes a worker that rarely polls', async () => {
  const id = await world.subscribe('/announced')
  world.worker({ limits: { ...QUICK, pollMs: 600_000 } })
  for (const round of [1, 2, 3]) {
    await world.emit({})
    await eventually(async () => expect(await world.statuses(id)).toHaveLength(round))
    await eventually(() => expect(world.farm.receivedAt('/announced')).toHaveLength(round))
  }
})

test('an idle worker does not poll more often than its limit', async () => {
  const polls = { idle: 0, often: 0 }
  const counting = (kind: keyof typeof polls) => ({
    now: () => {
      polls[kind] += 1
      return Date.now()
    },
  })
  world.worker({ limits: { ...QUICK, pollMs: 600_000 }, clock: counting('idle') })
  await eventually(() => expect(polls.idle).toBe(1))
  world.worker({ clock: counting('often') })
  await eventually(() => expect(polls.often).toBeGreaterThan(10))
  expect(polls.idle).toBe(1)
})

test('an attempt that ends makes place for the next delivery, also if the worker rarely polls', async () => {
  await world.subscribe('/busy')
  const held: (() => void)[] = []
  world.farm.respond('/busy', (received, response) => held.push(() => ok(received, response)))
  await world.emit({}, {})
  const limits = { deadlineMs: 60_000, leaseMs: 90_000, pollMs: 600_000, perEndpoint: 1 }
  const worker = world.worker({ send: senderWithin(60_000), limits })
  for (const count of [1, 2]) {
    await eventually(() => expect([held.length, worker.lastPolledAt()]).toEqual([count, expect.any(Number)]))
    expect(await world.metric('gateway_webhooks_in_flight', { lane: 'fast' })).toBe(1)
    held.at(-1)!()
  }
})

test('paused webhooks of 256 networks do not delay another, also if the worker rarely polls', async () => {
  await sql`
    insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted, network, paused_until)
    select 'paused' || n, 'wallet', 'http://127.0.0.1:1/', '{agent.updated}', '\\x00', to_char(n, '"a"000'),
      now() + interval '1 hour'
    from generate_series(1, ${MAX_NETWORKS}::integer) n`.execute(world.kysely)
  await world.subscribe('/last', { network: 'z' })
  await world.emit({})
  world.worker({ limits: { ...QUICK, pollMs: 600_000 } })
  await eventually(() => expect(world.farm.receivedAt('/last')).toHaveLength(1))
})

test('a worker that rarely polls sends what it enqueued itself', async () => {
  // The indexer enqueues for the first webhooks only. Those are paused, so they wake no worker.
  await sql`
    insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted, paused_until)
    select 'a' || n, 'wallet', 'http://127.0.0.1:1/', '{agent.updated}', '\\x00', now() + interval '1 hour'
    from generate_series(1, ${MAX_DELIVERIES}::integer) n`.execute(world.kysely)
  await world.subscribe('/enqueued', { id: 'z', network: 'z', secret_encrypted: box.seal('z', SECRET) })
  world.worker({ limits: { ...QUICK, pollMs: 600_000 } })
  await world.emit({})
  await eventually(() => expect(world.farm.receivedAt('/enqueued')).toHaveLength(1))
})

test('a worker whose polls fail logs it and goes on', async () => {
  await world.subscribe('/after')
  const warn = vi.fn<Logger['warn']>()
  await sql`alter table webhook_queue rename to missing_queue`.execute(world.kysely)
  try {
    const worker = world.worker({ logger: { ...silentLogger, warn } })
    for (const failed of ['polling for due deliveries', 'webhook maintenance'])
      await eventually(() =>
        expect(warn).toHaveBeenCalledWith(expect.anything(), `${failed} failed, retrying`),
      )
    expect(worker.lastPolledAt()).toBeNull()
  } finally {
    await sql`alter table missing_queue rename to webhook_queue`.execute(world.kysely)
  }
  await world.emit({})
  await eventually(() => expect(world.farm.receivedAt('/after')).toHaveLength(1))
})

test('deliveries that do not fit start one after the other, also if the worker rarely polls', async () => {
  for (const path of ['/1', '/2', '/3']) await world.subscribe(path)
  await world.emit({})
  world.worker({ limits: { ...QUICK, pollMs: 600_000, concurrency: 1 } })
  await eventually(() => expect(world.farm.received).toHaveLength(3))
})

test('retries are sent while the worker is woken again and again', async () => {
  await world.subscribe('/fails')
  world.farm.respond('/fails', status(500))
  const worker = world.worker({ limits: { ...QUICK, pollMs: 1_000 } })
  await world.emit({})
  await eventually(async () => {
    worker.wake()
    await world.expire()
    expect(world.farm.receivedAt('/fails').length).toBeGreaterThan(1)
  })
})

test('three workers send each delivery once', async () => {
  const ids = await Promise.all([1, 2, 3, 4, 5].map((n) => world.subscribe(`/many/${n}`)))
  const limits = { ...QUICK, deadlineMs: 60_000, leaseMs: 90_000 }
  for (let worker = 0; worker < 3; worker += 1) world.worker({ limits, send: senderWithin(60_000) })
  for (let batch = 0; batch < 10; batch += 1) await world.emit({}, {}, {}, {}, {}, {}, {}, {}, {}, {})
  await eventually(async () => {
    const { open } = await world.kysely
      .selectFrom('webhook_deliveries')
      .select(({ fn }) => fn.countAll<number>().as('open'))
      .where('status', '<>', 'success')
      .executeTakeFirstOrThrow()
    expect(open).toBe(0)
  })
  expect(world.farm.received).toHaveLength(500)
  expect(new Set(world.farm.received.map(({ path, event }) => `${path} ${event.id}`)).size).toBe(500)
  expect(await world.attempts(ids[0]!)).toHaveLength(100)
  expect(world.farm.peak('/many/1')).toBeLessThanOrEqual(9)
})

describe('a rotated secret', () => {
  const clock = steppingClock(FIXED_NOW)
  const t = useTestApp(() => ({ clock, ledger: NO_LEDGER, database: world.database, webhookDevMode: true }))
  let owner: WalletClient
  beforeAll(() => {
    owner = clientOf(t, walletOf('owner'), clock)
  })

  test('retries that were queued before a rotation are signed with the new secret', async () => {
    const url = world.farm.url('/rotated')
    const eventTypes = ['agent.updated']
    const { body: made } = await owner<{ id: string; secret: string }>('POST', '/webhooks', {
      url,
      eventTypes,
    })
    world.farm.respond('/rotated', status(503))
    world.worker({ openSecret: (encrypted, id) => t.secretBox.open(id, encrypted) })
    await world.emit({}, {}, {})
    await eventually(async () =>
      expect(await world.statuses(made.id)).toEqual(['retrying', 'retrying', 'retrying']),
    )
    expect(signedWith(made.secret, '/rotated')).toEqual([true, true, true])

    const rotated = await owner<{ secret: string }>('POST', `/webhooks/${made.id}/rotate-secret`)
    expect(rotated.status).toBe(200)
    world.farm.respond('/rotated', status(200))
    await world.expire()
    await eventually(async () =>
      expect(await world.statuses(made.id)).toEqual(['success', 'success', 'success']),
    )
    expect(signedWith(rotated.body.secret, '/rotated')).toEqual([false, false, false, true, true, true])
    expect(signedWith(made.secret, '/rotated')).toEqual([true, true, true, false, false, false])
  })

  test('with a time, deliveries are signed with the replaced secret, too, until it has passed', async () => {
    const url = world.farm.url('/kept')
    const input = { url, eventTypes: ['agent.updated'] }
    const { body: made } = await owner<{ id: string; secret: string }>('POST', '/webhooks', input)
    const rotate = (keepPreviousHours: number | null) =>
      owner.graphql<{
        rotateWebhookSecret: { secret: string; webhook: { previousSecretUntil: string | null } }
      }>(
        `mutation ($id: String!, $keepPreviousHours: Int) {
          rotateWebhookSecret(id: $id, keepPreviousHours: $keepPreviousHours) { secret webhook { previousSecretUntil } }
        }`,
        { id: made.id, keepPreviousHours },
      )
    world.worker({ openSecret: (encrypted, id) => t.secretBox.open(id, encrypted) })
    /** Which secrets sign the next delivery: in both headers. */
    const signers = async (secrets: string[]): Promise<[standard: number[], contract: number]> => {
      const count = world.farm.receivedAt('/kept').length + 1
      await world.emit({})
      await eventually(() => expect(world.farm.receivedAt('/kept')).toHaveLength(count))
      const { headers, body, event } = world.farm.receivedAt('/kept').at(-1)!
      const timestamp = Number(headers['x-service-timestamp'])
      const standard = secrets.map((secret) => signStandard({ secret, timestamp, body, id: event.id }))
      const contract = secrets.map((secret) => signatureOf(secret, String(timestamp), body))
      const found = String(headers['webhook-signature'])
        .split(' ')
        .map((each) => standard.indexOf(each))
      for (const each of found) new Webhook(secrets[each]!).verify(body, headers as Record<string, string>)
      return [found, contract.indexOf(String(headers['x-service-signature']))]
    }
    const { secret, webhook } = (await rotate(2)).data.rotateWebhookSecret
    const keptMs = Date.parse(webhook.previousSecretUntil!) - Date.now()
    expect(Math.abs(keptMs - 7_200_000)).toBeLessThan(60_000)
    const secrets = [made.secret, secret]
    expect(await signers(secrets)).toEqual([[1, 0], 0])
    for (const wrong of [-1, 169])
      expect((await rotate(wrong)).errors?.[0]?.message).toContain('keepPreviousHours')
    const ended = { previous_secret_until: new Date().toISOString() }
    await world.kysely.updateTable('webhook_subscriptions').set(ended).execute()
    expect(await signers(secrets)).toEqual([[1], 1])
    await deleteOldRows(world.kysely)
    const none = { previous_secret_encrypted: null, previous_secret_until: null }
    expect(await world.subscription(made.id)).toMatchObject(none)
    // Only the last replaced secret is kept, and none after a rotation without a time.
    for (const hours of [1, 1]) secrets.push((await rotate(hours)).data.rotateWebhookSecret.secret)
    expect(await signers(secrets)).toEqual([[3, 2], 2])
    secrets.push((await rotate(null)).data.rotateWebhookSecret.secret)
    expect(await signers(secrets)).toEqual([[4], 4])
    expect(await world.subscription(made.id)).toMatchObject(none)
  })
})

describe('the connection of a worker', () => {
  const database = useTestDatabase()

  const backends = async (): Promise<number[]> => {
    const { rows } = await sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and query ~ '^listen|^set enable|as one'
      and pid <> pg_backend_pid()`.execute(database.orm.em.getKysely())
    return rows.map(({ pid }) => pid)
  }

  test('a worker has one connection after each reconnect, and none after close', async () => {
    const ask = () => connection.query('ask', sql<{ one: number }>`select 1 as one`)
    // Like the worker, which polls again as soon as the connection is lost.
    const connection = createWorkerConnection({
      orm: database.orm,
      kysely: database.orm.em.getKysely(),
      onNotification: () => void ask().catch(() => undefined),
    })
    await ask()
    for (let round = 0; round < 10; round += 1) {
      const [pid] = await backends()
      await sql`select pg_terminate_backend(${pid})`.execute(database.orm.em.getKysely())
      await eventually(async () => {
        await ask()
        expect(await backends()).not.toContain(pid)
      })
      expect(await backends()).toHaveLength(1)
    }
    await connection.close()
    await eventually(async () => expect(await backends()).toEqual([]))
  })

  test('a worker that stops while it connects leaves no connection', async () => {
    const kysely = database.orm.em.getKysely()
    const connection = createWorkerConnection({ orm: database.orm, kysely, onNotification: () => undefined })
    const closed = connection.query('ask', sql`select 1 as one`).catch(String)
    await connection.close()
    expect(await closed).toBe('Error: the worker connection is closed')
    await eventually(async () => expect(await backends()).toEqual([]))
  })
})
