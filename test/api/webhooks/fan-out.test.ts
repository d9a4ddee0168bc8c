import { beforeAll, describe, expect, test } from 'vitest'
import { sql } from 'kysely'
import { outboxRow, useWorkerWorld } from '../../support/webhooks/worker-world.ts'
import { emptyRows } from '../../../src/ledger/decode/rows.ts'
import { continueFanOut, MAX_DELIVERIES, webhookSink } from '../../../src/webhooks/enqueue.ts'
import { markOrphaned, mergeEvents } from '../../../src/ledger/indexer/write/write-events.ts'
import type { Send } from '../../../src/webhooks/send.ts'
import { eventually } from '../../support/eventually.ts'
import { readsOf, SCANS } from './table-reads.ts'
import { cancelForInactiveWebhooks } from '../../../src/webhooks/cancel.ts'
import { readWebhookStats } from '../../../src/webhooks/metrics.ts'

const world = useWorkerWorld()

const enqueued = async (subscriptionId: string): Promise<string[]> =>
  (await world.deliveries(subscriptionId)).map((row) => row.event_id)

test('an event is enqueued only for active webhooks that match its type and agent', async () => {
  const all = await world.subscribe('/all')
  const typed = await world.subscribe('/typed', { event_types: ['stake.deposited', 'agent.closed'] })
  const filtered = await world.subscribe('/filtered', { filter_agent_pda: 'b' })
  const both = await world.subscribe('/both', { filter_agent_pda: 'b', event_types: ['agent.closed'] })
  const off = await world.subscribe('/off', { active: false })
  const deleted = await world.subscribe('/deleted')
  await sql`update webhook_subscriptions set deleted_at = now() where id = ${deleted}`.execute(world.kysely)
  const [a1, a2, b1, b2] = await world.emit(
    { agent: 'a', type: 'agent.updated' },
    { agent: 'a', type: 'agent.closed' },
    { agent: 'b', type: 'stake.deposited' },
    { agent: 'b', type: 'agent.closed' },
  )
  expect(await enqueued(all)).toEqual([a1, a2, b1, b2])
  expect(await enqueued(typed)).toEqual([a2, b1, b2])
  expect(await enqueued(filtered)).toEqual([b1, b2])
  expect(await enqueued(both)).toEqual([b2])
  expect(await enqueued(off)).toEqual([])
  expect(await enqueued(deleted)).toEqual([])
})

test('writing an event again enqueues nothing, even for webhooks that were created later', async () => {
  const first = await world.subscribe('/first')
  const [event] = await world.emit({ id: 'evt_again', slot: 5 })
  const later = await world.subscribe('/later')
  await world.emit({ id: 'evt_again', slot: 5 })
  expect(await enqueued(first)).toEqual([event])
  expect(await enqueued(later)).toEqual([])
})

describe('a large fan-out', () => {
  const WEBHOOKS = 2_300

  const createWebhooks = (count: number) =>
    sql`
  insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted, network)
  select gen_random_uuid()::text, 'wallet' || n, 'https://receiver.example', '{agent.updated}', '\\x00', 'network' || n % 9
  from generate_series(1, ${count}::integer) n`.execute(world.kysely)

  /** Events with the number of their deliveries, in the order of the events. */
  async function enqueued(): Promise<number[]> {
    const { rows } = await sql<{ count: number }>`
    select count(d.id)::integer as count from outbox_events o
    left join webhook_deliveries d on d.event_id = o.id and d.status <> 'cancelled'
    group by o.sequence order by o.sequence`.execute(world.kysely)
    return rows.map((row) => row.count)
  }

  async function fanOut(): Promise<void> {
    while (await continueFanOut(world.kysely));
  }

  /** A transaction of the ledger whose event a fork can remove. */
  async function emitForked(): Promise<void> {
    await world.kysely
      .insertInto('ledger_events')
      .values({
        id: 'of_forked',
        position: 'forked',
        signature: 'forked',
        slot: 5,
        name: 'AgentUpdated',
        agent_pda: 'agent',
        owner: 'owner',
        data: {},
        occurred_at: new Date().toISOString(),
      })
      .execute()
    await sql`
      insert into ledger_transactions (signature, slot, transaction_index, accounts)
      values ('forked', 5, 0, '{}') on conflict do nothing`.execute(world.kysely)
    await world.emit({ id: 'evt_forked', eventId: 'of_forked', slot: 5 })
  }

  const removeForked = () =>
    world.database.orm.em
      .fork()
      .transactional((em) => markOrphaned(em.getKysely(), [{ signature: 'forked', slot: 5 }], webhookSink))

  test('a transaction of the indexer enqueues at most 1,000 deliveries, and a worker continues in order', async () => {
    await createWebhooks(WEBHOOKS)
    await world.emit({}, {})
    expect(await enqueued()).toEqual([MAX_DELIVERIES, 0])
    expect(await continueFanOut(world.kysely)).toBe(true)
    expect(await enqueued()).toEqual([2 * MAX_DELIVERIES, 0])
    await fanOut()
    expect(await enqueued()).toEqual([WEBHOOKS, WEBHOOKS])
    expect(await world.kysely.selectFrom('webhook_fan_outs').selectAll().execute()).toEqual([])
  })

  test('a batch that stops within an event continues after the last webhook of that event', async () => {
    await createWebhooks(400)
    await world.emit({}, {}, {}, {})
    expect(await enqueued()).toEqual([400, 400, 200, 0])
    await fanOut()
    expect(await enqueued()).toEqual([400, 400, 400, 400])
  })

  test('many webhooks that do not match are not all compared in the transaction of the indexer', async () => {
    await createWebhooks(WEBHOOKS)
    await sql`update webhook_subscriptions set filter_agent_pda = 'another'`.execute(world.kysely)
    const [last] = await world.kysely
      .selectFrom('webhook_subscriptions')
      .select('id')
      .orderBy('id', 'desc')
      .execute()
    await sql`update webhook_subscriptions set filter_agent_pda = null where id = ${last!.id}`.execute(
      world.kysely,
    )
    await world.emit(...Array.from({ length: 20 }, () => ({})))
    expect(new Set(await enqueued())).toEqual(new Set([0]))
    await fanOut()
    expect(await enqueued()).toEqual(Array.from({ length: 20 }, () => 1))
  })

  test('a worker that crashes before its commit has enqueued nothing, and the next one enqueues all once', async () => {
    await createWebhooks(WEBHOOKS)
    await world.emit({})
    const crash = world.kysely.transaction().execute(async (db) => {
      expect(await continueFanOut(db)).toBe(true)
      throw new Error('crashed')
    })
    await expect(crash).rejects.toThrow('crashed')
    expect(await enqueued()).toEqual([MAX_DELIVERIES])
    const send: Send = () => Promise.resolve({ outcome: 'success', status: 200, durationMs: 1 })
    for (let worker = 0; worker < 3; worker += 1) world.worker({ send, openSecret: () => 'secret' })
    await eventually(async () => expect(await enqueued()).toEqual([WEBHOOKS]))
  })

  test('webhooks created after the event do not get it', async () => {
    await createWebhooks(WEBHOOKS)
    await world.emit({})
    await createWebhooks(100)
    await fanOut()
    expect(await enqueued()).toEqual([WEBHOOKS])
  })

  test('an event that a fork removed is not enqueued further, and all of it is when it returns', async () => {
    await createWebhooks(WEBHOOKS)
    await emitForked()
    await removeForked()
    await fanOut()
    expect(await enqueued()).toEqual([0])
    await world.emit({ id: 'evt_forked', eventId: 'of_forked', slot: 6 })
    await fanOut()
    expect(await enqueued()).toEqual([WEBHOOKS])
  })

  test('a worker that saw the event removed does not end the fan-out of its return', async () => {
    await createWebhooks(WEBHOOKS)
    await emitForked()
    await removeForked()
    const row = outboxRow({ id: 'evt_forked', eventId: 'of_forked', slot: 6 })
    let late: Promise<boolean> | undefined
    await world.kysely.transaction().execute(async (db) => {
      await mergeEvents(db, { ...emptyRows(), outbox_events: [row] }, webhookSink)
      late = continueFanOut(world.kysely)
      await isWaitingForLock()
    })
    await late
    await fanOut()
    expect(await enqueued()).toEqual([WEBHOOKS])
  })

  const isWaitingForLock = () =>
    eventually(async () => {
      const { rows } = await sql`
      select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
        world.kysely,
      )
      expect(rows).toHaveLength(1)
    })
})

describe('maintenance', () => {
  beforeAll(async () => {
    const id = await world.subscribe('/')
    await sql`
    insert into webhook_deliveries (subscription_id, event_id, event_type, status, next_attempt_at, completed_at)
    select ${id}, 'event' || n, 'agent.updated', 'success', null, now() from generate_series(1, 20000) n`.execute(
      world.kysely,
    )
    await world.emit({})
    await sql`analyze webhook_deliveries`.execute(world.kysely)
  })

  test('what workers repeat every few seconds does not read the whole delivery log', async () => {
    expect(await readsOf(world.kysely, 'webhook_deliveries', SCANS, cancelForInactiveWebhooks)).toBe(0)
    expect(await readsOf(world.kysely, 'webhook_deliveries', SCANS, readWebhookStats)).toBe(0)
  })
})
