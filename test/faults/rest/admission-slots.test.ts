import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import { type BlockedReads, blockReads } from '../../support/blocked-reads.ts'
import { serveApp, type ServedApp } from '../../support/clients.ts'
import { agentRow } from '../../support/factories.ts'
import { connectMcp, MCP_HEADERS, toolCall } from '../../support/mcp.ts'
import { firstOf, openSocket } from '../../support/operation-socket.ts'

let t: ServedApp
let blocked: BlockedReads
const sockets: Socket[] = []
async function start(): Promise<void> {
  const overload = { queueDelayMs: Infinity, inFlight: 2 }
  t = await serveApp({ registry: databaseReader, overload, agents: [agentRow('One')] })
  blocked = await blockReads(t.database)
  onTestFinished(async () => {
    for (const each of sockets.splice(0)) each.destroy()
    await blocked.release()
    await t.close()
  })
}

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(t.url + path, { method: 'POST', headers: MCP_HEADERS, body: JSON.stringify(body) })
async function outcome(response: Promise<Response>): Promise<string> {
  const text = await (await response).text()
  return /overloaded/.test(text) ? 'shed' : text
}
const inFlight = () => t.values('gateway_requests_in_flight')

/** Sends a request, or the first part of one, and nothing after it. */
function send(method: string, path: string, body = '', length = Buffer.byteLength(body)): Socket {
  const socket = connect(t.port, '127.0.0.1')
  sockets.push(socket)
  socket.on('error', () => undefined)
  const headers = Object.entries({ ...MCP_HEADERS, host: '127.0.0.1', 'content-length': String(length) })
  socket.write(
    `${method} ${path} HTTP/1.1\r\n${headers.map((each) => each.join(': ')).join('\r\n')}\r\n\r\n${body}`,
  )
  return socket
}

describe('the request of a client that disconnects', () => {
  const lookup = (i: number) => JSON.stringify(toolCall('list_agents', { limit: i }))
  test.each<[string, (i: number) => Socket]>([
    ['REST', (i) => send('GET', `/agents?offset=${i}`)],
    ['GraphQL', (i) => send('POST', '/graphql', `{"query":"{ agentsPage(offset: ${i}) { total } }"}`)],
    ['MCP', (i) => send('POST', '/mcp', lookup(i))],
  ])('counts as in flight until its handler finishes: %s', async (_, sendRead) => {
    await start()
    for (let i = 1; i <= 2; i += 1) {
      const client = sendRead(i)
      await expect.poll(() => blocked.held()).toBe(i)
      client.resetAndDestroy()
    }
    await expect.poll(t.connections).toBe(0)
    const [refused] = (await once(sendRead(3), 'data')) as [Buffer]
    expect(String(refused)).toMatch(/^HTTP\/1.1 503 /)
    expect(await blocked.held()).toBe(2)
    await blocked.release()
    await expect.poll(inFlight).toEqual([0, 0])
    expect((await fetch(`${t.url}/agents`)).status).toBe(200)
  })

  test('counts on a WebSocket too', async () => {
    await start()
    const socket = await openSocket(t.url)
    const pending = [1, 2].map((offset) => firstOf(socket, `{ agentsPage(offset: ${offset}) { total } }`))
    await expect.poll(() => blocked.held()).toBe(2)
    expect(await firstOf(socket, '{ agentsPage(offset: 3) { total } }')).toMatch(/overloaded/)
    void socket.dispose()
    await Promise.all(pending)
    expect((await fetch(`${t.url}/agents?offset=9`)).status).toBe(503)
    await blocked.release()
    await expect.poll(inFlight).toEqual([0, 0])
  })

  test('counts in an MCP session too, where messages are answered before the tool has finished', async () => {
    await start()
    const client = await connectMcp('SDK 1.x over SSE', t.url)
    const calls = [1, 2].map((limit) => client.call('list_agents', { limit }))
    const settled = Promise.allSettled(calls)
    await expect.poll(() => blocked.held()).toBe(2)
    await expect(client.call('list_agents', { limit: 3 })).rejects.toThrow(/503/)
    await client.close()
    await settled
    expect((await fetch(`${t.url}/agents?offset=9`)).status).toBe(503)
    await blocked.release()
    await expect.poll(inFlight).toEqual([0, 0])
  })
})

describe('request bodies being received', () => {
  const PATHS = [
    '/relay/submit',
    '/webhooks',
    '/sponsor/register/submit',
    '/graphql',
    '/mcp',
    '/relay/prepare',
  ]
  const slow = (path: string): Socket => send('POST', path, '{', 100)

  test('do not count as in flight, and requests with a body are answered beside them', async () => {
    await start()
    for (const path of PATHS) slow(path)
    await expect.poll(t.connections).toBe(PATHS.length)
    expect(await inFlight()).toEqual([0, 0])
    for (const path of PATHS)
      expect({ path, outcome: await outcome(post(path, { id: 'x' })) }).not.toEqual({ path, outcome: 'shed' })
  })
})
