import { once } from 'node:events'
import { expect, test, vi } from 'vitest'
import type { Feed } from '../../../../src/webhooks/live/feed.ts'
import { registryEvents } from '../../../../src/webhooks/live/live-events.ts'
import { createStreams } from '../../../../src/webhooks/live/streams.ts'
import { createMetrics } from '../../../../src/platform/metrics/metrics.ts'

/** A stream that its transport never returns, of a client with room for one. */
function openStream() {
  const connection = new AbortController()
  const client = { clientIp: '192.0.2.1', disconnected: () => connection.signal }
  const streams = createStreams(createMetrics(), { perClient: 1, total: 1 })
  const stream = streams.open(client, async function* (signal) {
    if (!signal.aborted) await once(signal, 'abort')
    yield* []
  })
  return {
    stream,
    disconnect: () => connection.abort(),
    checkLimit: () => streams.checkLimit(client),
    closeAll: streams.closeAll,
  }
}
const DONE = { done: true, value: undefined }

test('a stream ends and gives its place up when its client disconnects', async () => {
  const { stream, disconnect, checkLimit } = openStream()
  const next = stream.next()
  expect(checkLimit).toThrow('Too many open live streams')
  disconnect()
  expect(checkLimit).not.toThrow()
  expect(await next).toEqual(DONE)
})

test('a stream takes no place if its client has disconnected before', async () => {
  const { stream, disconnect, checkLimit } = openStream()
  disconnect()
  const next = stream.next()
  expect(checkLimit).not.toThrow()
  expect(await next).toEqual(DONE)
})

test('a process that stops ends its streams', async () => {
  const { stream, closeAll, checkLimit } = openStream()
  const next = stream.next()
  await closeAll()
  expect(checkLimit).not.toThrow()
  expect(await next).toEqual(DONE)
})

test('a stream whose source ends gives its place up', async () => {
  const client = { clientIp: '192.0.2.1', disconnected: () => new AbortController().signal }
  const streams = createStreams(createMetrics(), { perClient: 1, total: 1 })
  const stream = streams.open(client, async function* () {
    yield 1
  })
  expect(await stream.next()).toEqual({ done: false, value: 1 })
  expect(() => streams.checkLimit(client)).toThrow('Too many open live streams')
  expect(await stream.next()).toEqual(DONE)
  expect(() => streams.checkLimit(client)).not.toThrow()
})

test('a stream that its reader returns ends, also while a value is awaited', async () => {
  const { stream, checkLimit } = openStream()
  const next = stream.next()
  expect(await stream.return()).toEqual(DONE)
  expect(checkLimit).not.toThrow()
  expect(await next).toEqual(DONE)
})

test('pages of the database cost units, although no event of them matches', async () => {
  const ending = new AbortController()
  const feed = {
    position: 20_000,
    after: (position: number) => (position < 20_000 ? null : []),
    nextChange: async () => ending.abort(),
  } as unknown as Feed
  const charge = vi.fn<() => void>()
  const read = async (after: number) => ({ rows: [], upTo: after + 5_000 })
  const events = registryEvents({ feed, read, filter: {}, after: 0, charge, signal: ending.signal })
  expect(await events.next()).toEqual(DONE)
  expect(charge).toHaveBeenCalledTimes(4)
})
