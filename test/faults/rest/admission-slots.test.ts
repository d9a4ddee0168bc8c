import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { type BlockedReads, blockReads } from '../../support/blocked-reads.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { connectMcp, MCP_HEADERS, toolCall } from '../../support/mcp.ts'
import { firstOf, openSocket } from '../../support/operation-socket.ts'

const noLedger = { call: () => Promise.reject(new Error('no test uses the ledger')) }

let t: TestApp
let blocked: BlockedReads
let url: string
const sockets: Socket[] = []
async function start(limits: { inFlight: number }): Promise<void> {
  t = await createTestApp({
    ledger: noLedger,
    registry: databaseReader,
    overload: { queueDelayMs: Infinity, ...limits },
  })
  await insertAgents(t.kysely, [agentRow('One')])
  url = await t.app.listen({ port: 0, host: '127.0.0.1' })
  blocked = await blockReads(t.database)
}
afterEach(async () => {
  for (const each of sockets.splice(0)) each.destroy()
  await blocked.release()
  await t.close()
})

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(url + path, { method: 'POST', headers: MCP_HEADERS, body: JSON.stringify(body) })
async function outcome(response: Promise<Response>): Promise<string> {
  const text = await (await response).text()
  return /overloaded/.test(text) ? 'shed' : text
}
async function metric(name: string): Promise<string> {
  const text = await t.metrics.getSingleMetricAsString(`gateway_${name}`)
  return text
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/^\w+/gm, '')
    .trim()
}

/** Sends a request, or the first part of one, and nothing after it. */
function send(method: string, path: string, body = '', length = Buffer.byteLength(body)): Socket {
  const socket = connect((t.app.server.address() as AddressInfo).port, '127.0.0.1')
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
    await start({ inFlight: 2 })
    for (let i = 1; i <= 2; i += 1) {
      const client = sendRead(i)
      await expect.poll(() => blocked.held()).toBe(i)
      client.resetAndDestroy()
    }
    await expect.poll(openConnections).toBe(0)
    const [refused] = (await once(sendRead(3), 'data')) as [Buffer]
    expect(String(refused)).toMatch(/^HTTP\/1.1 503 /)
    expect(await blocked.held()).toBe(2)
    await blocked.release()
    await expect.poll(() => metric('requests_in_flight')).toBe('{priority="low"} 0\n{priority="high"} 0')
    expect((await fetch(`${url}/agents`)).status).toBe(200)
  })

  test('counts on a WebSocket too', async () => {
    await start({ inFlight: 2 })
    const socket = await openSocket(url)
    const pending = [1, 2].map((offset) => firstOf(socket, `{ agentsPage(offset: ${offset}) { total } }`))
    await expect.poll(() => blocked.held()).toBe(2)
    expect(await firstOf(socket, '{ agentsPage(offset: 3) { total } }')).toMatch(/overloaded/)
    void socket.dispose()
    await Promise.all(pending)
    expect((await fetch(`${url}/agents?offset=9`)).status).toBe(503)
    await blocked.release()
    await expect.poll(() => metric('requests_in_flight')).toBe('{priority="low"} 0\n{priority="high"} 0')
  })

  test('counts in an MCP session too, where messages are answered before the tool has finished', async () => {
    await start({ inFlight: 2 })
    const client = await connectMcp('SDK 1.x over SSE', url)
    const calls = [1, 2].map((limit) => client.call('list_agents', { limit }))
    const settled = Promise.allSettled(calls)
    await expect.poll(() => blocked.held()).toBe(2)
    await expect(client.call('list_agents', { limit: 3 })).rejects.toThrow(/503/)
    await client.close()
    await settled
    expect((await fetch(`${url}/agents?offset=9`)).status).toBe(503)
    await blocked.release()
    await expect.poll(() => metric('requests_in_flight')).toBe('{priority="low"} 0\n{priority="high"} 0')
  })
})

function openConnections(): Promise<number> {
  return new Promise((resolve, reject) =>
    t.app.server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))),
  )
}

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
    await start({ inFlight: 2 })
    for (const path of PATHS) slow(path)
    await expect.poll(openConnections).toBe(PATHS.length)
    expect(await metric('requests_in_flight')).toBe('{priority="low"} 0\n{priority="high"} 0')
    for (const path of PATHS)
      expect({ path, outcome: await outcome(post(path, { id: 'x' })) }).not.toEqual({ path, outcome: 'shed' })
  })
})
