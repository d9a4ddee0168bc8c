import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { mergeOutbox } from '../../../src/ledger/indexer/write/write-events.ts'
import { serveApp } from '../../support/clients.ts'
import { createTestDatabase } from '../../support/database.ts'
import { scaled } from '../../support/machine-speed.ts'
import { keyOf } from '../../support/factories.ts'
import { connectMcp } from '../../support/mcp.ts'
import { openSocket } from '../../support/operation-socket.ts'
import { openSse } from '../../support/subscriptions.ts'
import { outboxRow } from '../../support/webhooks/worker-world.ts'
import { perFile } from '../../support/lifetime.ts'

const database = perFile(createTestDatabase)
const hasty = perFile(() =>
  serveApp({ database, limits: { headersMs: scaled(500), requestMs: scaled(1_000), checkMs: 50 } }),
)
const stalling = perFile(() =>
  serveApp({ database, limits: { reading: { slowMs: scaled(400) }, maxConnections: 3 } }),
)

interface Cut {
  readonly text: string
  readonly sent: number
}

/** Sends `start` at once and the rest byte by byte, until the server closes the connection. */
function drip(start: string, rest: string): Promise<Cut> {
  const { promise, resolve } = Promise.withResolvers<Cut>()
  const socket = connect(hasty.port, '127.0.0.1')
  let sent = 0
  let text = ''
  socket.write(start)
  const timer = setInterval(() => socket.writable && socket.write(rest[sent++] ?? ' '), 10)
  socket.on('data', (chunk) => (text += chunk.toString()))
  // A byte sent after the server closed causes a reset.
  socket.on('error', () => undefined)
  socket.on('close', () => {
    clearInterval(timer)
    resolve({ text, sent })
  })
  return promise
}

const SLOW_HEADERS = ['', `GET /health HTTP/1.1\r\nHost: gateway\r\nX-Slow: ${'a'.repeat(5_000)}`] as const
const SLOW_BODY = [
  'POST /graphql HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n',
  `{"query":"${'a'.repeat(5_000)}`,
] as const

describe('a request that does not arrive in time', () => {
  test.each([
    ['headers sent byte by byte', SLOW_HEADERS],
    ['a body sent byte by byte', SLOW_BODY],
    ['no body after the headers', [SLOW_BODY[0], ''] as const],
  ])('%s: gets 408, and the connection is closed', async (_, [start, rest]) => {
    const { text, sent } = await drip(start, rest)
    const [head, body] = text.split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(head).toContain('Connection: close')
    expect(JSON.parse(body!)).toEqual({
      error: 'The request took too long to arrive',
      details: { code: 'REQUEST_TIMEOUT' },
    })
    expect(sent).toBeLessThan(1_000)
  })

  test('is closed, although its client keeps the connection open', async () => {
    await expect.poll(hasty.connections).toBe(0)
    const client = connect({ port: hasty.port, host: '127.0.0.1', allowHalfOpen: true })
    client.write(SLOW_HEADERS[1])
    await once(client.resume(), 'end')
    await expect.poll(hasty.connections).toBe(0)
    client.destroy()
  })

  test('does not affect open streams', async () => {
    const sse = await openSse(hasty.url, 'subscription { registryEvents { id } }')
    const mcp = await connectMcp('SDK 1.x over SSE', hasty.url)
    let closed = 0
    const ws = await openSocket(hasty.url)
    ws.on('closed', () => (closed += 1))
    const parts: unknown[] = []
    ws.subscribe(
      { query: 'subscription { registryEvents { id } }' },
      { next: (part) => parts.push(part.data), error: () => undefined, complete: () => undefined },
    )
    // Later requests have timed out, so the limits have passed for the streams too.
    await drip(...SLOW_BODY)
    await drip(...SLOW_HEADERS)
    await mergeOutbox(hasty.kysely, [{ ...outboxRow({ id: 'evt_slow_1' }), agent_pda: keyOf('agent') }])
    const event = { registryEvents: { id: 'evt_slow_1' } }
    expect((await sse.next())?.data).toEqual(event)
    await expect.poll(() => parts).toEqual([event])
    expect(closed).toBe(0)
    expect((await mcp.listTools()).tools.length).toBeGreaterThan(0)
    sse.cut()
    await mcp.close()
    await ws.dispose()
  })
})

test('an event stream gets few pings, so that the system can probe whether its client is there', async () => {
  const controller = new AbortController()
  const response = await fetch(`${hasty.url}/graphql?query=subscription{registryEvents{id}}`, {
    headers: { accept: 'text/event-stream' },
    signal: controller.signal,
  })
  let text = ''
  const reading = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk
  })().catch(() => undefined)
  // In tests, Yoga sends a ping every 300 ms.
  await drip(...SLOW_BODY)
  await drip(...SLOW_BODY)
  expect(text).toBe(':\n\n')
  controller.abort()
  await reading
})

describe('a client that does not read its responses', () => {
  test.each([
    ['sends requests one by one', 1, 1_000],
    ['sends all requests at once', 5_000, 1],
  ])('and %s is disconnected, and few responses are buffered for it', async (_, together, times) => {
    const sockets: Socket[] = []
    let most = 0
    const responses: ServerResponse[] = []
    stalling.app.server.once('connection', (socket) => sockets.push(socket))
    const watch = (_request: unknown, response: ServerResponse): void => {
      responses.push(response)
      const held = responses.reduce((sum, each) => sum + (each.writableFinished ? 0 : each.writableLength), 0)
      most = Math.max(most, held)
    }
    stalling.app.server.on('request', watch)
    const client = connect(stalling.port, '127.0.0.1')
    client.on('error', () => undefined)
    client.pause()
    for (let i = 0; i < times && client.writable; i += 1) {
      client.write('GET /graphql/schema.graphql HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(together))
      await new Promise(setImmediate)
    }
    await expect.poll(() => sockets[0]?.destroyed).toBe(true)
    client.destroy()
    stalling.app.server.off('request', watch)
    expect(responses.length).toBeGreaterThan(0)
    expect(most).toBeLessThan(4_194_304)
  })

  test('is disconnected if a response is larger than the network buffers', async () => {
    const page = await stalling.app.inject({ url: '/graphql', headers: { accept: 'text/html' } })
    const [script] = /\/graphql\/graphiql\/\w+\.js/.exec(page.body) ?? []
    const responses: ServerResponse[] = []
    const watch = (_: unknown, response: ServerResponse): number => responses.push(response)
    stalling.app.server.on('request', watch)
    const client = connect(stalling.port, '127.0.0.1')
    client.on('error', () => undefined)
    client.pause()
    // Each response has two megabytes.
    client.write(`GET ${script} HTTP/1.1\r\nHost: gateway\r\n\r\n`.repeat(8))
    await expect.poll(() => responses.map((each) => each.destroyed)).toEqual(Array(8).fill(true))
    expect(responses.at(-1)!.writableFinished).toBe(false)
    stalling.app.server.off('request', watch)
    client.destroy()
  })

  test('on an MCP stream is disconnected when too much is unread; a silent stream stays open', async () => {
    const reader = connect(stalling.port, '127.0.0.1')
    const first = Promise.withResolvers<string>()
    let text = ''
    reader.on('error', () => undefined)
    reader.on('data', (chunk) => {
      text += chunk.toString()
      const path = /data: (\S+)\r?\n/.exec(text)?.[1]
      if (path !== undefined) first.resolve(path)
    })
    reader.write('GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    const path = await first.promise
    await new Promise((resolve) => setTimeout(resolve, scaled(600)))
    reader.pause()
    const sendMessage = async (id: number): Promise<number> => {
      const response = await fetch(stalling.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/list' }),
      })
      await response.text()
      return response.status
    }
    expect(await sendMessage(0)).toBe(202)
    let id = 0
    await expect.poll(() => sendMessage((id += 1)), { interval: 0 }).toBe(404)
    reader.destroy()
  })
})

test('a connection above the limit is closed if all others are in use', async () => {
  const held: Socket[] = []
  // Connections that fetch kept open.
  stalling.app.server.closeIdleConnections()
  await expect.poll(stalling.connections).toBe(0)
  for (let i = 0; i < 3; i += 1) {
    const stream = connect(stalling.port, '127.0.0.1')
    held.push(stream)
    stream.write('GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    await once(stream, 'data')
  }
  const refused = connect(stalling.port, '127.0.0.1')
  refused.on('error', () => undefined)
  await new Promise((resolve) => refused.once('close', resolve).resume())
  expect(held.map(({ closed }) => closed)).toEqual([false, false, false])
  for (const each of held) each.destroy()
})
