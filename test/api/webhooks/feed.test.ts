import { sql } from 'kysely'
import { afterEach, expect, test, vi } from 'vitest'
import { Feed } from '../../../src/webhooks/live/feed.ts'
import { newestPosition, readEvents } from '../../../src/webhooks/live/recent-events.ts'
import { eventually } from '../../support/eventually.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import { useWorkerWorld } from '../../support/webhooks/worker-world.ts'

const world = useWorkerWorld()
const HUNDRED = Array.from({ length: 100 }, () => ({}))

const newFeed = (): Feed => new Feed({ orm: world.database.orm, kysely: world.kysely, logger: silentLogger })

/** The connections of feeds that wait for notifications. */
async function listeners(): Promise<number> {
  const { rows } = await sql<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and query ~* '^listen'`.execute(world.kysely)
  return rows.length
}

afterEach(() => vi.useRealTimers())

test('a feed has every event after a position, or says that it does not go back so far', async () => {
  const feed = newFeed()
  const unsubscribe = await feed.subscribe()
  const start = feed.position
  for (let hundred = 0; hundred < 12; hundred += 1) await world.emit(...HUNDRED)
  const newest = await newestPosition(world.kysely)
  await eventually(() => expect(feed.position).toBe(newest))
  const { rows: first } = await readEvents(world.kysely, start, {})
  expect(first).toHaveLength(200)
  for (const { position } of first.slice(0, -1)) expect(feed.after(position)).toBeNull()
  const afterFirst = feed.after(first.at(-1)!.position)
  expect(afterFirst).toHaveLength(1_000)
  expect(feed.after(newest)).toEqual([])
  unsubscribe()
  await feed.close()
})

test('a feed stops ten seconds after its last subscriber has left, and begins again', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const feed = newFeed()
  const [one, two] = [await feed.subscribe(), await feed.subscribe()]
  await eventually(async () => expect(await listeners()).toBe(1))
  one()
  vi.advanceTimersByTime(20_000)
  await world.emit({})
  const newest = await newestPosition(world.kysely)
  await eventually(() => expect(feed.position).toBe(newest))
  two()
  await world.emit({})
  await eventually(async () => expect(feed.position).toBe(await newestPosition(world.kysely)))
  vi.advanceTimersByTime(11_000)
  await world.emit({})
  await eventually(async () => expect(await listeners()).toBe(0))
  await feed.subscribe()
  expect(feed.position).toBe(await newestPosition(world.kysely))
  await feed.close()
})

test('a subscription that fails leaves no subscriber, so that the feed can stop', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const feed = newFeed()
  await sql`alter table outbox_events rename to missing_events`.execute(world.kysely)
  try {
    await expect(feed.subscribe()).rejects.toThrow('outbox_events')
  } finally {
    await sql`alter table missing_events rename to outbox_events`.execute(world.kysely)
  }
  const unsubscribe = await feed.subscribe()
  await eventually(async () => expect(await listeners()).toBe(1))
  unsubscribe()
  vi.advanceTimersByTime(11_000)
  await world.emit({})
  await eventually(async () => expect(await listeners()).toBe(0))
  await feed.close()
})

test('events of some agents are read from the database', async () => {
  const [, ofB, ofC] = await world.emit({ agent: 'a' }, { agent: 'b' }, { agent: 'c' })
  const { rows } = await readEvents(world.kysely, 0, { agentPdas: new Set(['b', 'c']) })
  expect(rows.map(({ body }) => (JSON.parse(body) as { id: string }).id)).toEqual([ofB, ofC])
})
