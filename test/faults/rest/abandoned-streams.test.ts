import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { CONNECTION_LIMITS } from '../../../rest/plugins/connections.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { clientAt, type TestClient } from '../../support/clients.ts'
import { eventually } from '../../support/eventually.ts'
import { keyOf } from '../../support/factories.ts'
import { NEWEST } from '../../support/mcp.ts'

const QUERY = 'subscription { registryEvents { id } }'
const post = (path: string, headers: Record<string, string>, body: object): string => {
  const text = JSON.stringify(body)
  const all = { Host: '127.0.0.1', 'Content-Type': 'application/json', 'Content-Length': `${text.length}` }
  const lines = Object.entries({ ...all, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${text}`
}
const SSE = post('/graphql', { Accept: 'text/event-stream' }, { query: QUERY })
const LISTEN = post(
  '/mcp',
  {
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': NEWEST,
    'MCP-Method': 'subscriptions/listen',
  },
  {
    jsonrpc: '2.0',
    id: 1,
    method: 'subscriptions/listen',
    params: {
      notifications: { resourceSubscriptions: [`agent://${keyOf('agent')}`] },
      _meta: {
        'io.modelcontextprotocol/protocolVersion': NEWEST,
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  },
)
const SESSION = 'GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
/** Turns of the event loop in which a stream is opened and written to, and some more. */
const TURNS = 60
const SESSIONS = 3

let t: TestApp
let client: TestClient
beforeEach(async () => {
  t = await createTestApp({
    ledger: { call: () => Promise.reject(new Error('not used')) },
    // As many as a test opens, so that none is refused.
    streamLimits: { perClient: 1_000, total: 1_000 },
    connectionLimits: { ...CONNECTION_LIMITS, sessions: { perClient: SESSIONS, total: SESSIONS } },
  })
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  client = clientAt('127.0.0.2', (t.app.server.address() as AddressInfo).port)
})
afterEach(async () => {
  await client.close()
  await t.close()
})

const openStreams = async (): Promise<number> =>
  Number(/ (\d+)$/m.exec(await t.metrics.getSingleMetricAsString('gateway_live_events_streams'))?.[1])
const connections = (): Promise<number> =>
  new Promise((resolve) => t.app.server.getConnections((_error, count) => resolve(count)))
/** One more client opens a stream and leaves, so the requests before it were handled. */
async function lastLeaves(): Promise<void> {
  await expect.poll(connections).toBe(0)
  const last = client.open(SSE)
  await once(last, 'data')
  await eventually(async () => expect(await openStreams()).toBeGreaterThan(0))
  last.end()
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
      await lastLeaves()
      await expect.poll(openStreams).toBe(0)
    },
  )

  test('has no place if its connection was closed before its request was handled', async () => {
    const destroy = ({ socket }: IncomingMessage): unknown => socket.destroy()
    t.app.server.on('request', destroy)
    for (let i = 0; i < 10; i += 1) await once(client.open(request), 'close')
    t.app.server.off('request', destroy)
    await lastLeaves()
    await expect.poll(openStreams).toBe(0)
  })

  test('has no place if its connection is closed while it waits for an earlier stream', async () => {
    const socket = client.open(request.repeat(5))
    await eventually(async () => expect(await openStreams()).toBe(5))
    socket.destroy()
    await lastLeaves()
    await expect.poll(openStreams).toBe(0)
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
      await lastLeaves()
      await expect.poll(openStreams).toBe(0)
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
    await lastLeaves()
    await expect.poll(openStreams).toBe(0)
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
    await lastLeaves()
    await expect.poll(openStreams).toBe(0)
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
  await expect.poll(connections).toBe(0)
  const open = Array.from({ length: SESSIONS }, () => client.open(SESSION))
  for (const each of open) expect(String(await once(each, 'data'))).toMatch(/^HTTP\/1.1 200 /)
})
