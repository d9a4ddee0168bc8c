import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { serveApp } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { LISTEN_HEADERS, listenMessage } from '../../support/mcp.ts'
import { perTest } from '../../support/lifetime.ts'

const QUERY = 'subscription { registryEvents { id } }'
const post = (path: string, headers: Record<string, string>, body: object): string => {
  const text = JSON.stringify(body)
  const all = { Host: '127.0.0.1', 'Content-Type': 'application/json', 'Content-Length': `${text.length}` }
  const lines = Object.entries({ ...all, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}
const SSE = post('/graphql', { Accept: 'text/event-stream' }, { query: QUERY })
const LISTEN = post('/mcp', LISTEN_HEADERS, listenMessage)
const SESSION = 'GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
/** Turns of the event loop in which a stream is opened and written to, and some more. */
const TURNS = 60
const SESSIONS = 3

const t = perTest(() =>
  serveApp({
    // As many as a test opens, so that none is refused.
    streamLimits: { perClient: 1_000, total: 1_000 },
    limits: { sessions: { perClient: SESSIONS, total: SESSIONS } },
  }),
)
const client = perTest(() => t.client('127.0.0.2'))

const openStreams = () => t.total('gateway_live_events_streams')
/** One more client opens a stream and leaves, so the requests before it were handled. */
async function afterAnother(): Promise<typeof openStreams> {
  await expect.poll(t.connections).toBe(0)
  const last = client.open(SSE)
  await once(last, 'data')
  await eventually(async () => expect(await openStreams()).toBeGreaterThan(0))
  last.end()
  return openStreams
}
async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i += 1) await turn()
}

describe.each([
  ['an event stream', SSE],
  ['an MCP subscription', LISTEN],
])('%s', (_, request) => {
  test.each(['end', 'destroy', 'resetAndDestroy'] as const)(
    'has no place after its client has left (%s) before, during or after the first write',
    async (leave) => {
      for (let i = 0; i < TURNS; i += 1) {
        const socket = client.open(request)
        await once(t.app.server, 'request')
        await turns(i)
        socket[leave]()
      }
      await expect.poll(await afterAnother()).toBe(0)
    },
  )

  test('has no place if its connection was closed before its request was handled', async () => {
    const destroy = ({ socket }: IncomingMessage): unknown => socket.destroy()
    t.app.server.on('request', destroy)
    for (let i = 0; i < 10; i += 1) await once(client.open(request), 'close')
    t.app.server.off('request', destroy)
    await expect.poll(await afterAnother()).toBe(0)
  })

  test('has no place if its connection is closed while it waits for an earlier stream', async () => {
    const socket = client.open(request.repeat(5))
    await eventually(async () => expect(await openStreams()).toBe(5))
    socket.destroy()
    await expect.poll(await afterAnother()).toBe(0)
  })
})

describe('a subscription on a WebSocket', () => {
  const subscribe = (id: string): string =>
    JSON.stringify({ type: 'subscribe', id, payload: { query: QUERY } })
  const complete = (id: string): string => JSON.stringify({ type: 'complete', id })
  const connect = async (): Promise<WebSocket> => {
    const socket = client.webSocket().on('error', () => undefined)
    await once(socket, 'open')
    socket.send('{"type":"connection_init"}')
    return socket
  }
  const acknowledged = async (): Promise<WebSocket> => {
    const socket = await connect()
    await once(socket, 'message')
    return socket
  }

  test.each(['terminate', 'close'] as const)(
    'has no place after its socket was closed (%s) before, while or after it was opened',
    async (leave) => {
      const socketOf = async (i: number): Promise<WebSocket> => {
        const socket = await acknowledged()
        socket.send(subscribe('1'))
        await turns(i)
        return socket
      }
      for (let i = 0; i < TURNS; i += 1) (await socketOf(i))[leave]()
      const early = await connect()
      early.send(subscribe('1'))
      early[leave]()
      await expect.poll(await afterAnother()).toBe(0)
    },
  )

  test('has no place after it was completed, although its socket stays open', async () => {
    const socket = await acknowledged()
    for (let i = 0; i < TURNS; i += 1) {
      socket.send(subscribe(`${i}`))
      await turns(i)
      socket.send(complete(`${i}`))
    }
    await eventually(async () => expect(await openStreams()).toBe(0))
    expect(socket.readyState).toBe(socket.OPEN)
    socket.terminate()
    await expect.poll(await afterAnother()).toBe(0)
  })

  test('has no place if another one took over its id and the socket was closed', async () => {
    const socket = await acknowledged()
    for (let i = 0; i < 5; i += 1) {
      socket.send(subscribe('1'))
      socket.send(complete('1'))
    }
    socket.send(subscribe('1'))
    await eventually(async () => expect(await openStreams()).toBeGreaterThan(0))
    socket.terminate()
    await expect.poll(await afterAnother()).toBe(0)
  })
})

test('an MCP session has no place after its client has left before, during or after the first write', async () => {
  for (let i = 0; i < TURNS; i += 1) {
    const socket = client.open(SESSION)
    await once(t.app.server, 'request')
    await turns(i)
    socket.resetAndDestroy()
  }
  const waiting = client.open(SESSION.repeat(SESSIONS))
  await once(waiting, 'data')
  waiting.destroy()
  await expect.poll(t.connections).toBe(0)
  const open = Array.from({ length: SESSIONS }, () => client.open(SESSION))
  for (const each of open) expect(String(await once(each, 'data'))).toMatch(/^HTTP\/1.1 200 /)
})
