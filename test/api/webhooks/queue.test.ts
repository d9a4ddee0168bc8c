import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import type { Logger } from '../../../src/platform/logger.ts'
import { HeldClaims } from '../../../src/webhooks/claim-due.ts'
import { createQueueVacuum } from '../../../src/webhooks/maintenance.ts'
import { eventually } from '../../support/eventually.ts'
import { scaled } from '../../support/machine-speed.ts'
import { READ_ROWS, readsOf } from './table-reads.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import { queueErrors } from '../../support/webhooks/queue-errors.ts'
import { ok, status } from '../../support/webhooks/receiver-farm.ts'
import { QUICK, senderWithin, useWorkerWorld } from '../../support/webhooks/worker-world.ts'

const world = useWorkerWorld()

/** Runs `during` while no outcome can be written. */
const withoutOutcomes = (during: () => Promise<void>): Promise<void> =>
  world.kysely.transaction().execute(async (db) => {
    await sql`lock table webhook_attempts in exclusive mode`.execute(db)
    await during()
  })
const limits = { ...QUICK, leaseMs: 30_000 }
const TEN = Array.from({ length: 10 }, () => ({}))

test('a success frees its place before it is written', async () => {
  const id = await world.subscribe('/fast')
  await world.emit(...TEN)
  await withoutOutcomes(async () => {
    world.worker({ limits })
    await eventually(() => expect(world.farm.receivedAt('/fast')).toHaveLength(10))
    expect(world.farm.peak('/fast')).toBeLessThanOrEqual(3)
    const rows = await world.deliveries(id)
    expect(rows.filter((row) => row.status === 'in_flight')).toHaveLength(10)
  })
  await eventually(async () => expect(await world.attempts(id)).toHaveLength(10))
  expect(world.farm.receivedAt('/fast')).toHaveLength(10)
})

test('a failure keeps its place until it is written, because it may pause the webhook', async () => {
  const id = await world.subscribe('/limited')
  world.farm.respond('/limited', status(429, { 'retry-after': '60' }))
  const other = await world.subscribe('/other')
  await world.emit(...TEN)
  await withoutOutcomes(async () => {
    world.worker({ limits })
    await eventually(() => expect(world.farm.receivedAt('/other')).toHaveLength(10))
    expect(world.farm.receivedAt('/limited')).toHaveLength(3)
  })
  await eventually(async () => expect(await world.attempts(id)).toHaveLength(3))
  expect((await world.subscription(id)).paused_until).not.toBeNull()
  await eventually(async () => expect(await world.attempts(other)).toHaveLength(10))
})

test('successes that are sent again, because their lease ended before they were written, count', async () => {
  await world.subscribe('/again')
  const seen = new Set<string>()
  world.farm.respond('/again', (received, response) => {
    if (!seen.has(received.event.id)) ok(received, response)
    seen.add(received.event.id)
  })
  await world.emit(...TEN)
  await withoutOutcomes(async () => {
    world.worker({ send: senderWithin(scaled(300)), limits: { ...QUICK, leaseMs: scaled(1_200) } })
    await eventually(() => expect(world.farm.receivedAt('/again').length).toBeGreaterThanOrEqual(16))
    expect(world.farm.peak('/again')).toBeLessThanOrEqual(3)
  })
})

/** Lets PostgreSQL refuse new attempts whose row fits `condition`, with this SQLSTATE. */
async function refuseAttempts(sqlstate: string, condition: string): Promise<() => Promise<unknown>> {
  await sql
    .raw(
      `create function refuse() returns trigger language plpgsql as $$ begin
        if ${condition} then raise 'refused' using errcode = '${sqlstate}'; end if; return new; end $$;
      create trigger refuse before insert on webhook_attempts for each row execute function refuse()`,
    )
    .execute(world.kysely)
  return () => sql.raw('drop function refuse cascade').execute(world.kysely)
}

test('outcomes that PostgreSQL cannot store now are stored later, without other requests', async () => {
  const id = await world.subscribe('/full')
  const accept = await refuseAttempts('53100', 'true')
  const warn = vi.fn<Logger['warn']>()
  world.worker({ limits, logger: { ...silentLogger, warn } })
  await world.emit({}, {}, {})
  await eventually(() =>
    expect(warn).toHaveBeenCalledWith(expect.anything(), 'writing delivery outcomes failed, retrying'),
  )
  await accept()
  await eventually(async () => expect(await world.attempts(id)).toHaveLength(3))
  expect(world.farm.receivedAt('/full')).toHaveLength(3)
})

test('an outcome that PostgreSQL refuses stops no other outcome, and its delivery is repeated', async () => {
  const id = await world.subscribe('/refused')
  // The last one: the first outcome that is ready is written alone.
  const refused = (await world.emit(...TEN)).at(-1)
  const accept = await refuseAttempts(
    '22000',
    `(select event_id from webhook_deliveries where id = new.delivery_id) = '${refused}'`,
  )
  await withoutOutcomes(async () => {
    world.worker({ limits })
    await eventually(() => expect(world.farm.receivedAt('/refused')).toHaveLength(10))
  })
  await eventually(async () => expect(await world.attempts(id)).toHaveLength(9))
  await accept()
  await eventually(async () => expect(await world.attempts(id)).toHaveLength(10))
  const requests = world.farm.receivedAt('/refused').filter(({ event }) => event.id !== refused)
  expect(requests).toHaveLength(9)
})

test('a delivery is without a slot from its success until it is written or claimed again', () => {
  const held = new HeldClaims()
  const claim = (token: string) => ({ id: 'delivery', token })
  const succeed = (token: string): void => {
    for (const state of ['claimed', 'sending', 'delivered'] as const) held.move(claim(token), state)
  }
  succeed('old')
  expect(held.withoutSlot()).toEqual(['delivery'])
  held.move(claim('new'), 'claimed')
  expect(held.withoutSlot()).toEqual([])
  held.move(claim('new'), 'sending')
  held.move(claim('new'), 'delivered')
  held.move(claim('old'), 'settled')
  expect([held.withoutSlot(), held.delivered]).toEqual([['delivery'], 1])
  held.move(claim('new'), 'settled')
  expect([held.withoutSlot(), held.delivered]).toEqual([[], 0])
})

test('a claim is sent once, and ends once', () => {
  const held = new HeldClaims()
  const claim = { id: 'delivery', token: 'token' }
  expect(() => held.move(claim, 'sending')).toThrow('cannot become sending')
  held.move(claim, 'claimed')
  expect(() => held.move(claim, 'settled')).toThrow('claimed cannot become settled')
  held.move(claim, 'sending')
  expect(() => held.move(claim, 'sending')).toThrow('sending cannot become sending')
  held.move(claim, 'writing')
  held.move(claim, 'settled')
  expect(() => held.move(claim, 'released')).toThrow('cannot become released')
})

test('stop waits until every success is written', async () => {
  const id = await world.subscribe('/fast')
  await world.emit({})
  let stopped: Promise<void> | undefined
  await withoutOutcomes(async () => {
    const worker = world.worker({ limits: { ...limits, deadlineMs: 15_000 } })
    await eventually(() => expect(world.farm.receivedAt('/fast')).toHaveLength(1))
    stopped = worker.stop()
  })
  await stopped
  expect((await world.deliveries(id)).map((row) => row.status)).toEqual(['success'])
})

test('the queue has the unfinished deliveries, however they change', async () => {
  const id = await world.subscribe('/')
  await world.emit(...TEN)
  const inQueue = async (): Promise<number> =>
    (await world.kysely.selectFrom('webhook_queue').selectAll().execute()).length
  const run = (statement: ReturnType<typeof sql>) => statement.execute(world.kysely)
  expect(await inQueue()).toBe(10)
  await run(
    sql`update webhook_deliveries set status = 'retrying', next_attempt_at = now() + interval '1 hour'`,
  )
  expect(await queueErrors(world.kysely)).toEqual([])
  await run(sql`update webhook_deliveries set status = 'failed', next_attempt_at = null, completed_at = now()
    where id in (select id from webhook_deliveries limit 4)`)
  expect(await inQueue()).toBe(6)
  await run(sql`insert into webhook_deliveries (id, subscription_id, event_id, event_type)
    select id, subscription_id, event_id, event_type from webhook_deliveries where status = 'failed'
    on conflict (event_id, subscription_id) do update set status = 'pending', next_attempt_at = now(), completed_at = null`)
  expect(await inQueue()).toBe(10)
  expect(await queueErrors(world.kysely)).toEqual([])
  await run(sql`delete from webhook_deliveries where id in (select id from webhook_deliveries limit 3)`)
  expect(await inQueue()).toBe(7)
  await run(sql`delete from webhook_subscriptions where id = ${id}`)
  expect(await inQueue()).toBe(0)
})

test('a change of some deliveries reads only their rows of a long queue, with a plan for the empty one', async () => {
  const id = await world.subscribe('/')
  await world.kysely.connection().execute(async (db) => {
    const add = (prefix: string, count: number) =>
      sql`insert into webhook_deliveries (subscription_id, network, event_id, event_type)
        select ${id}, 'network', ${prefix} || n, 'agent.updated' from generate_series(1, ${count}::int) n`.execute(
        db,
      )
    const finish = (prefix: string) =>
      sql`update webhook_deliveries set status = 'success', next_attempt_at = null, completed_at = now()
        where event_id like ${`${prefix}%`} and event_id <= ${`${prefix}64`}`.execute(db)
    await add('first', 64)
    await finish('first')
    await sql`vacuum (truncate false) webhook_queue`.execute(db)
    await add('second', 64)
    await finish('second')
    await add('third', 20_000)
    const read = await readsOf(db, 'webhook_queue', READ_ROWS, (trx) =>
      sql`update webhook_deliveries set status = 'success', next_attempt_at = null, completed_at = now()
        where event_id = any(select 'third' || n from generate_series(1, 64) n)`.execute(trx),
    )
    expect(read).toBeLessThan(500)
  })
  expect(await queueErrors(world.kysely)).toEqual([])
})

test('the queue is vacuumed after many claims', async () => {
  const warn = vi.fn<() => void>()
  const vacuum = createQueueVacuum(world.kysely, { warn })
  const vacuums = async (): Promise<number> => {
    const { rows } = await sql<{ count: string }>`
      select vacuum_count as count from pg_stat_user_tables where relname = 'webhook_queue'`.execute(
      world.kysely,
    )
    return Number(rows[0]?.count)
  }
  const before = await vacuums()
  vacuum.add(999)
  await vacuum.onIdle()
  expect(await vacuums()).toBe(before)
  vacuum.add(1)
  await vacuum.onIdle()
  await eventually(async () => expect(await vacuums()).toBe(before + 1))
  await eventually(async () => {
    vacuum.add(1_000)
    await vacuum.onIdle()
    expect(await vacuums()).toBeGreaterThan(before + 1)
  })
  expect(warn).not.toHaveBeenCalled()
  await sql`alter table webhook_queue rename to missing_queue`.execute(world.kysely)
  try {
    await eventually(async () => {
      vacuum.add(1_000)
      await vacuum.onIdle()
      expect(warn).toHaveBeenCalledWith(expect.anything(), 'the vacuum of webhook_queue failed')
    })
  } finally {
    await sql`alter table missing_queue rename to webhook_queue`.execute(world.kysely)
  }
})
