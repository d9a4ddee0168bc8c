import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { readKeypairFile } from '../../src/platform/keys.ts'
import { WORKER_LIMITS } from '../../src/webhooks/limits.ts'
import { ok, startReceiverFarm } from '../support/webhooks/receiver-farm.ts'
import { startLoad } from './load.ts'
import { createProcessWorld } from './webhook-processes.ts'
import { scaled } from '../support/machine-speed.ts'
import { perFile, perTest } from '../support/lifetime.ts'

const KILLS = 100
const WORKERS = 3
const WEBHOOKS = 8
const WAIT = { timeout: scaled(60_000), interval: 50 }

const world = perFile(() => createProcessWorld())
const farm = perTest(() => startReceiverFarm())
afterEach(async () => {
  for (const table of ['webhook_attempts', 'webhook_subscriptions', 'outbox_events'] as const)
    await world.kysely.deleteFrom(table).execute()
})

const hostOf = (path: string): string => farm.url(path).replace('127.0.0.1', `${path.slice(1)}.localhost`)

const rows = async () =>
  (
    await sql<{
      id: string
      subscription_id: string
      event_id: string
      status: string
      logged: number
      stale: number
      failed: number
      responded: number
    }>`
      select d.id, d.subscription_id, d.event_id, d.status,
        (select count(*)::integer from webhook_attempts a where a.delivery_id = d.id) as logged,
        (select count(*)::integer from webhook_attempts a where a.delivery_id = d.id and outcome = 'stale') as stale,
        (select count(*)::integer from webhook_attempts a
          where a.delivery_id = d.id and outcome not in ('success', 'lost')) as failed,
        (select count(*)::integer from webhook_attempts a
          where a.delivery_id = d.id and response_status is not null) as responded
      from webhook_deliveries d`.execute(world.kysely)
  ).rows

const settled = (): Promise<void> =>
  vi.waitFor(
    async () => {
      // Deliveries that timed out on a slow machine become due now.
      await sql`update webhook_subscriptions set paused_until = now() where paused_until > now()`.execute(
        world.kysely,
      )
      await sql`update webhook_deliveries set next_attempt_at = now() where status = 'retrying'`.execute(
        world.kysely,
      )
      const open = (await rows()).filter((row) => row.status !== 'success')
      expect(open).toHaveLength(0)
    },
    { timeout: scaled(120_000), interval: 500 },
  )

/** Number of requests of each delivery, from the delivery header. */
function requests(): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { headers } of farm.received) {
    const id = String(headers['x-service-delivery'])
    counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  return counts
}

test(`after ${KILLS} times kill -9 under load nothing is lost, and only deliveries in flight are sent twice`, async () => {
  for (let n = 0; n < WEBHOOKS; n += 1) {
    await world.subscribe(hostOf(`/r${n}`))
    farm.respond(`/r${n}`, (_, response) => void setTimeout(() => response.end('ok'), 15))
  }
  const gateways = await Promise.all(Array.from({ length: WORKERS }, () => world.worker()))
  await Promise.all(gateways.map((gateway) => gateway.start()))
  const events: string[] = []
  const loaded = new AbortController()
  const load = (async () => {
    while (!loaded.signal.aborted) {
      // Enough to keep all workers busy without a backlog.
      if (events.length * WEBHOOKS - requests().size < 300) events.push(...(await world.emit(4)))
      await delay(20)
    }
  })()

  // By lease token, because a lease can still be in flight at the next kill and counts once.
  const exposed = new Map<string, string>()
  let killed = 0
  let exposedAtOnce = 0
  await Promise.all(
    gateways.map(async (gateway) => {
      while (killed < KILLS) {
        killed += 1
        const before = farm.received.length
        await vi.waitFor(() => expect(farm.received.length).toBeGreaterThan(before + 10), WAIT)
        await vi.waitFor(
          async () => {
            const held = [...(await gateway.held()).keys()]
            expect(held.filter((token) => !exposed.has(token))).not.toEqual([])
          },
          { timeout: scaled(60_000), interval: 5 },
        )
        await gateway.kill()
        await gateway.disconnected()
        const held = [...(await gateway.held())].filter(([token]) => !exposed.has(token))
        expect(held.length).toBeLessThanOrEqual(WORKER_LIMITS.concurrency)
        exposedAtOnce = Math.max(exposedAtOnce, held.length)
        for (const [token, id] of held) exposed.set(token, id)
        await gateway.start()
      }
    }),
  )
  loaded.abort()
  await load
  await settled()

  const deliveries = await rows()
  const received = requests()
  expect(deliveries).toHaveLength(events.length * WEBHOOKS)
  const lost = deliveries.filter(({ id }) => !received.has(id))
  const doubled = deliveries.filter(({ id }) => received.get(id)! > 1)
  expect(lost).toEqual([])
  const held = Map.groupBy(exposed.values(), (id) => id)
  let stale = 0
  for (const delivery of deliveries) {
    const { id, logged, failed, responded } = delivery
    const times = received.get(id)!
    const exposures = held.get(id)?.length ?? 0
    expect(times - 1 - failed).toBeLessThanOrEqual(exposures)
    // Every request is logged, except those whose worker was killed before it could write.
    expect(responded).toBeLessThanOrEqual(times)
    expect(times - logged).toBeLessThanOrEqual(exposures)
    stale += delivery.stale
  }
  expect(killed).toBeGreaterThanOrEqual(KILLS)
  process.stdout.write(
    `${killed} kills, ${deliveries.length} deliveries, ${farm.received.length} requests, ${lost.length} lost, ` +
      `${doubled.length} duplicated, ${stale} stale, ${exposed.size} in flight in the killed worker at its kill, at most ${exposedAtOnce} at once` +
      '\n',
  )
  for (const gateway of gateways) expect(await gateway.stop()).toBe(0)
})

test('after kill -9 between commit and claim, between claim and request, and after the request, each event arrives', async () => {
  // Between commit and claim: no worker runs.
  const sockets: Socket[] = []
  const deaf = createServer({ pauseOnConnect: true }, (socket) =>
    sockets.push(socket.on('error', () => undefined)),
  )
  deaf.listen(0, '127.0.0.1')
  const { port } = new URL(farm.url('/'))
  const committed = await world.subscribe(hostOf('/committed'))
  await world.emit(1)
  expect(await rows()).toMatchObject([{ subscription_id: committed, status: 'pending' }])
  const gateway = await world.worker()
  await gateway.start()
  await settled()
  expect(farm.received).toHaveLength(1)

  // Between claim and request: the connection is open, but the receiver does not read.
  const address = deaf.address() as { port: number }
  const claimed = await world.subscribe(`http://deaf.localhost:${address.port}/deaf`)
  await world.kysely
    .updateTable('webhook_subscriptions')
    .set({ active: false })
    .where('id', '=', committed)
    .execute()
  await world.emit(1)
  await vi.waitFor(() => expect(sockets).toHaveLength(1), WAIT)
  expect((await gateway.held()).size).toBe(1)
  await gateway.kill()
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => deaf.close(resolve))
  await world.kysely
    .updateTable('webhook_subscriptions')
    .set({ url: `http://deaf.localhost:${port}/deaf` })
    .where('id', '=', claimed)
    .execute()
  await gateway.start()
  await settled()
  expect(farm.receivedAt('/deaf')).toHaveLength(1)

  // After the request and before the outcome is written: the only possible duplicate.
  farm.respond('/deaf', () => undefined)
  await world.emit(1)
  await vi.waitFor(() => expect(farm.receivedAt('/deaf')).toHaveLength(2), WAIT)
  await gateway.kill()
  farm.respond('/deaf', ok)
  await gateway.start()
  await settled()
  expect(farm.receivedAt('/deaf')).toHaveLength(3)
  expect(farm.receivedAt('/deaf')[2]?.body).toBe(farm.receivedAt('/deaf')[1]?.body)
  expect((await rows()).map((row) => row.logged)).toEqual([1, 1, 1])
  await gateway.stop()
})

test('the outcome of a process that was suspended longer than its lease is stale', async () => {
  await world.subscribe(hostOf('/zombie'))
  const held: (() => void)[] = []
  farm.respond('/zombie', (_, response) => held.push(() => response.writeHead(500).end()))
  const [asleep, awake] = [await world.worker(), await world.worker()]
  await asleep.start()
  await world.emit(1)
  await vi.waitFor(() => expect(farm.received).toHaveLength(1), WAIT)
  asleep.signal('SIGSTOP')
  farm.respond('/zombie', ok)
  await awake.start()
  await settled()
  const before = await world.kysely.selectFrom('webhook_deliveries').selectAll().execute()
  const health = await world.kysely.selectFrom('webhook_subscriptions').selectAll().execute()
  held[0]?.()
  asleep.signal('SIGCONT')
  await vi.waitFor(async () => expect(await rows()).toMatchObject([{ logged: 2, stale: 1 }]), WAIT)
  expect(await world.kysely.selectFrom('webhook_deliveries').selectAll().execute()).toEqual(before)
  expect(await world.kysely.selectFrom('webhook_subscriptions').selectAll().execute()).toEqual(health)
  expect(farm.received).toHaveLength(2)
  expect(await asleep.stop()).toBe(0)
  expect(await awake.stop()).toBe(0)
})

test('no delivery is lost while PostgreSQL restarts and backends are terminated under load', async () => {
  for (let n = 0; n < WEBHOOKS; n += 1) await world.subscribe(hostOf(`/p${n}`))
  const gateways = await Promise.all([world.worker(), world.worker()])
  await Promise.all(gateways.map((gateway) => gateway.start()))
  const events: string[] = []
  const loaded = new AbortController()
  const load = (async () => {
    while (!loaded.signal.aborted) {
      events.push(...(await world.emit(2)))
      await delay(20)
    }
  })()
  const grown = async (): Promise<void> => {
    const before = farm.received.length
    await vi.waitFor(() => expect(farm.received.length).toBeGreaterThan(before + 100), WAIT)
  }
  for (let round = 0; round < 20; round += 1) {
    await grown()
    if (round % 7 === 3) await world.restartPostgres()
    else {
      const terminate = sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and random() < 0.7`
      await terminate.execute(world.kysely)
    }
  }
  await grown()
  loaded.abort()
  await load
  await settled()
  const received = requests()
  const deliveries = await rows()
  expect(deliveries).toHaveLength(events.length * WEBHOOKS)
  expect(deliveries.filter(({ id }) => !received.has(id))).toEqual([])
  const doubled = deliveries.filter(({ id }) => received.get(id)! > 1)
  process.stdout.write(
    `${deliveries.length} deliveries, ${farm.received.length} requests, ${doubled.length} duplicated, 20 faults` +
      '\n',
  )
  for (const gateway of gateways) expect(await gateway.stop()).toBe(0)
})

test('all events arrive after the gateway is killed before the indexer commits and before the worker claims', async () => {
  await world.subscribe(hostOf('/whole'))
  const gateway = await world.whole()
  const { rpcUrl } = await gateway.start()
  const tables = await holding(sql`lock table outbox_events in share mode`)
  const load = startLoad(rpcUrl, readKeypairFile(join(gateway.dataDir, 'keys', 'fee-payer.json')), 1)
  await vi.waitFor(() => expect(load.confirmed.size).toBeGreaterThanOrEqual(3), WAIT)
  await vi.waitFor(async () => expect(await waiting('relation')).not.toEqual([]), WAIT)
  await gateway.kill()
  await load.ended
  await tables.release()
  expect(await world.kysely.selectFrom('outbox_events').select('id').execute()).toEqual([])

  await world.kysely.transaction().execute(async (db) => {
    await sql`create function test_hold_claims() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock_shared(4242);
      return new;
    end $$`.execute(db)
    await sql`create trigger test_hold_claims before update on webhook_deliveries for each row
      when (new.status = 'in_flight') execute function test_hold_claims()`.execute(db)
  })
  const claims = await holding(sql`select pg_advisory_xact_lock(4242)`)
  await gateway.start()
  await vi.waitFor(async () => expect(await waiting('advisory')).not.toEqual([]), WAIT)
  await gateway.kill()
  for (const pid of await waiting('advisory'))
    await sql`select pg_terminate_backend(${pid})`.execute(world.kysely)
  await vi.waitFor(async () => expect(await waiting('advisory')).toEqual([]), WAIT)
  await claims.release()
  await sql`drop function test_hold_claims cascade`.execute(world.kysely)
  const committed = await rows()
  expect(committed.length).toBeGreaterThanOrEqual(2 * load.confirmed.size)
  expect(new Set(committed.map((row) => row.status))).toEqual(new Set(['pending']))
  expect(farm.received).toEqual([])

  await gateway.start()
  await settled()
  const events = await world.kysely.selectFrom('outbox_events').select('id').execute()
  expect(farm.received.map(({ event }) => event.id).sort()).toEqual(events.map(({ id }) => id).sort())
  expect(await gateway.stop()).toBe(0)
})

async function holding(lock: RawBuilder<unknown>): Promise<{ release(): Promise<void> }> {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const { promise: held, resolve: hold } = Promise.withResolvers<void>()
  const transaction = world.kysely.transaction().execute(async (db) => {
    await lock.execute(db)
    hold()
    await released
  })
  await Promise.race([held, transaction])
  return {
    release: () => {
      release()
      return transaction
    },
  }
}

/** The backends that wait for a lock of this type. */
async function waiting(kind: 'relation' | 'advisory'): Promise<number[]> {
  const { rows: found } = await sql<{ pid: number }>`
    select pid from pg_locks where not granted and locktype = ${kind}`.execute(world.kysely)
  return found.map(({ pid }) => pid)
}
