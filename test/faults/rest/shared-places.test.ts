import assert from 'node:assert'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Client } from 'graphql-ws'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { TestAppOptions } from '../../support/app.ts'
import { type Limits, serveApp, type ServedApp, type TestClient } from '../../support/clients.ts'
import { LISTEN_HEADERS, listenMessage } from '../../support/mcp.ts'
import { eventually } from '../../support/eventually.ts'
import { scaled } from '../../support/machine-speed.ts'

/** Streams that the tests of sockets have at most. */
const MOST_STREAMS = 5
const EVENTS = { query: 'subscription { registryEvents { id } }' }
const OPEN_SESSION = 'GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
const LISTEN = JSON.stringify(listenMessage)
const OPEN_SUBSCRIPTION = `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n${Object.entries(
  LISTEN_HEADERS,
)
  .map((each) => `${each.join(': ')}\r\n`)
  .join('')}Content-Length: ${LISTEN.length}\r\n\r\n${LISTEN}`
const OPEN_STREAM = `GET /graphql?query=${encodeURIComponent(EVENTS.query)} HTTP/1.1\r\nHost: gateway\r\nAccept: text/event-stream\r\n\r\n`

let t: ServedApp
const sockets: Client[] = []
async function start(limits: Limits, options: Partial<TestAppOptions> = {}): Promise<void> {
  t = await serveApp({ limits, ...options })
}
afterEach(async () => {
  vi.restoreAllMocks()
  for (const each of sockets.splice(0)) await each.dispose()
  await t.close()
})
const openStreams = () => t.total('gateway_live_events_streams')

interface Subscribed {
  /** The close code of the socket, after it was closed. */
  code: number | null
}

/** Opens a socket, with an open subscription or without an operation. */
async function openSocket(from: TestClient, busy: boolean): Promise<Subscribed> {
  const state: Subscribed = { code: null }
  const connected = Promise.withResolvers<void>()
  const socket = from.graphql({
    lazy: false,
    onNonLazyError: () => undefined,
    shouldRetry: () => false,
    on: {
      connected: () => connected.resolve(),
      closed: (event) => {
        state.code ??= (event as { code: number }).code
        // It would connect again at once.
        void socket.dispose()
      },
    },
  })
  sockets.push(socket)
  await connected.promise
  if (busy) {
    const before = await openStreams()
    socket.subscribe(EVENTS, { next: () => undefined, error: () => undefined, complete: () => undefined })
    // The new stream may end another one, so the number may stay the same.
    const enough = Math.min(before + 1, MOST_STREAMS)
    await eventually(async () => assert((await openStreams()) >= enough))
  }
  return state
}
const refusalOf = async (from: TestClient): Promise<[status: number, retryAfter: unknown, text: string]> => {
  const [, response] = await once(
    from.webSocket().on('error', () => undefined),
    'unexpected-response',
  )
  const { statusCode, headers } = response
  return [statusCode, headers['retry-after'], Buffer.concat(await response.toArray()).toString()]
}
const codes = (states: Subscribed[]): (number | null)[] => states.map(({ code }) => code)

describe('WebSockets', () => {
  test('a client network at its limit loses its own idle one that was used longest ago', async () => {
    await start({ sockets: { perClient: 3, total: 10 } })
    const [one, two] = [t.client('127.0.0.2'), t.client('127.0.0.3')]
    const states = [await openSocket(two, false), await openSocket(one, true)]
    for (let i = 0; i < 3; i += 1) states.push(await openSocket(one, false))
    await expect.poll(() => codes(states)).toEqual([null, null, 1000, null, null])
  })

  test('when all are taken, a new one closes the one that is idle longest, not one with a subscription', async () => {
    await start({ sockets: { perClient: 3, total: 4 } })
    const [one, two] = [t.client('127.0.0.2'), t.client('127.0.0.3')]
    const states = [await openSocket(one, true), await openSocket(one, false), await openSocket(one, false)]
    states.push(await openSocket(two, false))
    const third = await openSocket(t.client('127.0.0.4'), true)
    await expect.poll(() => codes(states)).toEqual([null, 1000, null, null])
    expect(third.code).toBe(null)
  })

  test('when none is idle, the network with the most loses its oldest; a network that has as many gets none', async () => {
    await start({ sockets: { perClient: 3, total: 5 } })
    const [one, two, three] = [t.client('127.0.0.2'), t.client('127.0.0.3'), t.client('127.0.0.4')]
    const states: Subscribed[] = []
    for (const each of [two, two, one, one, one]) states.push(await openSocket(each, true))
    const honest = await openSocket(three, true)
    await expect.poll(() => codes(states)).toEqual([null, null, 1013, null, null])
    expect(await refusalOf(one)).toEqual([
      503,
      '30',
      '{"error":"The service has too many open WebSockets: try again later","details":{"code":"TOO_MANY_SOCKETS"}}',
    ])
    expect(honest.code).toBe(null)
  })

  test('one without an operation is closed so that clients open it again when they need it; a subscription keeps it open', async () => {
    await start({ socketIdleMs: scaled(1_500) })
    const from = t.client('127.0.0.2')
    const busy = await openSocket(from, true)
    const closings: number[] = []
    const lazy = from.graphql({
      lazyCloseTimeout: 60_000,
      on: { closed: (event) => closings.push((event as { code: number }).code) },
    })
    sockets.push(lazy)
    const result = { data: { __typename: 'Query' } }
    expect((await lazy.iterate({ query: '{ __typename }' }).next()).value).toEqual(result)
    await expect.poll(() => closings).toEqual([1000])
    expect((await lazy.iterate({ query: '{ __typename }' }).next()).value).toEqual(result)
    expect(busy.code).toBe(null)
  })
})

async function openStream(from: TestClient, request: string): Promise<[socket: Socket, head: string]> {
  const socket = from.open(request)
  const [data] = (await once(socket, 'data')) as [Buffer]
  return [socket, data.toString()]
}

describe.each([
  {
    kind: 'MCP sessions',
    request: OPEN_SESSION,
    limits: { sessions: { perClient: 3, total: 5 } },
    options: {},
    own: 'Too many open MCP streams: the limit per client is 3. /mcp works without a stream',
    all: 'The service has too many open MCP streams. /mcp works without a stream',
  },
  {
    kind: 'live streams',
    request: OPEN_STREAM,
    limits: {},
    options: { streamLimits: { perClient: 3, total: 5 } },
    own: 'Too many open live streams: the limit per client is 3. Close one or try again later',
    all: 'The service has too many open live streams: try again later',
  },
  {
    kind: 'MCP subscriptions',
    request: OPEN_SUBSCRIPTION,
    limits: {},
    options: { streamLimits: { perClient: 3, total: 5 } },
    own: 'Too many open live streams: the limit per client is 3. Close one or try again later',
    all: 'The service has too many open live streams: try again later',
  },
])('$kind', ({ request, limits, options, own, all }) => {
  test('when all are taken, a new client gets one, and the network with the most loses its oldest', async () => {
    await start(limits, options)
    const [one, two, three] = [t.client('127.0.0.2'), t.client('127.0.0.3'), t.client('127.0.0.4')]
    const streams: { ended: boolean }[] = []
    for (const each of [two, two, one, one, one]) {
      const [socket, head] = await openStream(each, request)
      expect(head).toMatch(/^HTTP\/1.1 200 /)
      const stream = { ended: false }
      socket.on('close', () => (stream.ended = true))
      socket.on('data', (data: Buffer) => (stream.ended ||= data.includes('STREAMS_FULL')))
      streams.push(stream)
    }
    const [, tooMany] = await openStream(one, request)
    expect(tooMany.toLowerCase()).toContain('retry-after: 30\r\n')
    expect(tooMany).toContain(own)

    const [honest, head] = await openStream(three, request)
    expect(head).toMatch(/^HTTP\/1.1 200 /)
    await expect.poll(() => streams.map(({ ended }) => ended)).toEqual([false, false, true, false, false])
    expect(honest.closed).toBe(false)

    const [, full] = await openStream(one, request)
    expect(full.toLowerCase()).toContain('retry-after: 30\r\n')
    expect(full).toContain(all)
  })
})

test('an MCP session without a message for a minute gives way to a new one of its client network', async () => {
  await start({ sessions: { perClient: 2, total: 5 } })
  const one = t.client('127.0.0.2')
  const [quiet] = await openStream(one, OPEN_SESSION)
  const [used, head] = await openStream(one, OPEN_SESSION)
  const now = performance.now.bind(performance)
  vi.spyOn(performance, 'now').mockImplementation(() => now() + 60_000)
  const [path = ''] = /\/mcp\/messages\S+/.exec(head) ?? []
  const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' } as const
  expect((await one.send(path, ping)).status).toBe(202)
  const [, third] = await openStream(one, OPEN_SESSION)
  expect(third).toMatch(/^HTTP\/1.1 200 /)
  await expect.poll(() => [quiet.closed, used.closed]).toEqual([true, false])
})
