import { beforeAll, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../../src/platform/config/config.ts'
import { EVENTS_PER_CHARGE } from '../../../src/webhooks/live/live-events.ts'
import { FIXED_NOW } from '../../support/app.ts'
import { serveApp, type TestClient } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { keyOf } from '../../support/factories.ts'
import { openSse, type StreamPart } from '../../support/subscriptions.ts'
import { perFile } from '../../support/lifetime.ts'

const UNITS = 60
const EVENTS = 500
const QUERY = 'subscription ($after: String) { registryEvents(after: $after) { id } }'

const t = perFile(() =>
  serveApp({
    rateLimits: { ...readConfig({}).config.rateLimits!, reads: UNITS },
    clock: { now: () => now },
  }),
)
/** Older than the first stream. */
let stored: string[]
let now = FIXED_NOW
const own = perFile(() => t.client('127.0.0.1'))
const other = perFile(() => t.client('127.0.0.2'))
beforeAll(async () => {
  stored = await insertEvents('stored')
})
beforeEach(() => {
  // All units are available again.
  now += 60_000
})

async function insertEvents(prefix: string): Promise<string[]> {
  const ids = Array.from({ length: EVENTS }, (_, i) => `evt ${prefix} ${i}`)
  const timestamp = new Date(FIXED_NOW).toISOString()
  const rows = ids.map((id) => {
    const content = { type: 'agent.updated' as const, slot: 7 }
    const body = JSON.stringify({ id, ...content, pda: keyOf('agent'), timestamp, data: {} })
    return { id, ...content, event_id: id, agent_pda: keyOf('agent'), body, occurred_at: timestamp }
  })
  await t.kysely.insertInto('outbox_events').values(rows).execute()
  return ids
}

const idOf = (part: StreamPart | null): string => {
  expect(part?.errors).toBeUndefined()
  return (part!.data!['registryEvents'] as { id: string }).id
}

/** Streams events to `received`. Returns a function that closes the stream. */
type Open = (received: string[], after?: string) => Promise<() => Promise<unknown>>
const openOverSse: Open = async (received, after) => {
  const stream = await openSse(t.url, QUERY, { after })
  const reading = (async () => {
    for (;;) received.push(idOf(await stream.next()))
  })().catch(() => undefined)
  return () => {
    stream.cut()
    return reading
  }
}
const openOverSocket: Open = async (received, after) => {
  const socket = own.graphql()
  socket.subscribe(
    { query: QUERY, variables: { after } },
    {
      next: (part) => received.push(idOf(part as StreamPart)),
      error: () => undefined,
      complete: () => undefined,
    },
  )
  return async () => socket.dispose()
}
const read = async (from: TestClient): Promise<number> => (await from.send('/agents')).status

/** Opens a stream, and makes units available after it has used all. */
async function replay(open: Open, after: string) {
  const received: string[] = []
  const close = await open(received, after)
  await expect.poll(() => read(own)).toBe(429)
  const beforeWait = received.length
  const ofOther = await read(other)
  now += 60_000
  await eventually(() => expect(received.length).toBe(EVENTS - 1))
  await close()
  return { received, beforeWait, ofOther }
}

test.each([
  ['server-sent events', openOverSse],
  ['a WebSocket', openOverSocket],
])('earlier events over %s cost units; a stream without units waits, and none is lost', async (_, open) => {
  const [after, ...ids] = stored
  const { received, beforeWait, ofOther } = await replay(open, after!)
  expect(beforeWait).toBeGreaterThan(0)
  expect(beforeWait).toBeLessThan(UNITS * EVENTS_PER_CHARGE)
  expect(ofOther).toBe(200)
  expect(received).toEqual(ids)
})

test('new events are free; when they are sent again from memory, they cost units', async () => {
  const live: string[] = []
  const close = await openOverSse(live)
  expect(await read(own)).toBe(200)
  const [after, ...ids] = await insertEvents('live')
  await eventually(() => expect(live).toEqual([after, ...ids]))
  expect(await read(own)).toBe(200)
  const { received, beforeWait } = await replay(openOverSse, after!)
  expect(beforeWait).toBeLessThan(UNITS * EVENTS_PER_CHARGE)
  expect(received).toEqual(ids)
  await close()
})
