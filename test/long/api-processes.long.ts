import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createRegistryWorld, type RegistryWorld } from '../support/indexer/registry-world.ts'
import { createTestDatabase, type TestDatabase, urlOf } from '../support/database.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { walletOf } from '../support/wallet.ts'
import { alive, childrenOf, isPortFree, openSession, type SseSession } from './support/shared-port.ts'
import { scaled } from '../support/machine-speed.ts'

const PROCESSES = 3
const AUTHENTICATED = 3
const NUMBERS = ['1', '2', '3']
const SECONDS = { timeout: scaled(60_000), interval: 100 }

let world: RegistryWorld
let database: TestDatabase
let gateway: GatewayProcess
let port: number
/** How long all processes needed to start. */
let startMs: number
const sessions: SseSession[] = []

const settings = (): Record<string, string> => ({
  API_PROCESSES: String(PROCESSES),
  DATABASE_URL: urlOf(database),
  SOLANA_RPC_URL: world.localnet.rpcUrl,
  SOLANA_WS_URL: world.localnet.wsUrl,
  WEBHOOK_SECRETS_KEY: '05'.repeat(32),
  TRUST_PROXY: '127.0.0.1',
  RATE_LIMIT_AUTHENTICATED: String(AUTHENTICATED),
})

beforeAll(async () => {
  world = await createRegistryWorld()
  database = await createTestDatabase()
  gateway = await createGatewayProcess(settings())
  const begin = performance.now()
  const { baseUrl } = await gateway.start()
  startMs = performance.now() - begin
  port = Number(new URL(baseUrl).port)
})
afterAll(async () => {
  for (const { socket } of sessions) socket.destroy()
  await gateway.remove()
  await database.drop()
  await world.close()
})

/** Sends a request over a new connection, which any process may get. */
async function send(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string; agent?: Agent } = {},
): Promise<{ status: number; text: string }> {
  const { method = 'GET', headers = {}, body, agent } = options
  const request = httpRequest({
    agent: agent ?? new Agent(),
    port,
    path,
    method,
    headers: { 'content-type': 'application/json', ...headers },
  })
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return { status: response.statusCode ?? 0, text: await readText(response) }
}
const sendMany = async (count: number, one: (i: number) => ReturnType<typeof send>) =>
  Promise.all(Array.from({ length: count }, (_, i) => one(i)))
const post = (sessionId: string, message: unknown) =>
  send(`/mcp/messages?sessionId=${sessionId}`, { method: 'POST', body: JSON.stringify(message) })
const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' })

/** Opens sessions until each process has one, and closes earlier ones, because they are limited. */
async function sessionOfEach(): Promise<Map<string, SseSession>> {
  for (const { socket } of sessions.splice(0)) socket.destroy()
  const found = new Map<string, SseSession>()
  for (let i = 0; i < 50 && found.size < PROCESSES; i += 1) {
    const session = await openSession(port)
    const [number = ''] = session.id.split('-')
    if (found.has(number)) session.socket.destroy()
    else found.set(number, session)
  }
  sessions.push(...found.values())
  return found
}

test('all processes answer on the same port', async () => {
  const found = await sessionOfEach()
  expect([...found.keys()].toSorted()).toEqual(NUMBERS)
})

test('any process returns the metrics of all, each series once', async () => {
  await send('/health')
  const responses = await sendMany(8, () => send('/metrics'))
  for (const { status, text } of responses) {
    expect(status).toBe(200)
    const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
    const series = lines.map((line) => line.slice(0, line.lastIndexOf(' ')))
    expect(series.filter((each) => !/[{,]process="[123]"/.test(each))).toEqual([])
    expect(new Set(series).size).toBe(series.length)
    const help = text.split('\n').filter((line) => line.startsWith('# HELP'))
    expect(new Set(help).size).toBe(help.length)
    const started = series.filter((each) => each.startsWith('process_start_time_seconds'))
    expect(started).toEqual(NUMBERS.map((number) => `process_start_time_seconds{process="${number}"}`))
    expect(text).toMatch(/^gateway_http_request_duration_seconds_bucket\{le="1",.*process="\d"\} \d+$/m)
    // One process reads the ledger.
    const phases = series.filter((each) => each.startsWith('gateway_indexer_phase'))
    expect(phases.every((each) => each.includes('process="1"'))).toBe(true)
  }
})

test('a limit that is counted in the database applies to all processes together', async () => {
  const responses = await sendMany(4 * AUTHENTICATED, (i) => {
    const signature = walletOf(`limited ${i}`).headers('GET', '/webhooks', Date.now())
    return send('/webhooks', { headers: { 'x-forwarded-for': '198.51.100.1', ...signature } })
  })
  const ok = responses.filter(({ status }) => status === 200)
  expect(ok).toHaveLength(AUTHENTICATED)
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(3 * AUTHENTICATED)
})

test('every process can encrypt the secret of a webhook', async () => {
  const types = JSON.parse((await send('/webhooks/event-types')).text) as Record<string, string[]>
  const [eventTypes] = Object.values(types)
  const body = JSON.stringify({ url: 'https://example.org/hook', eventTypes })
  const responses = await sendMany(9, (i) => {
    const headers = walletOf(`owner ${i}`).headers('POST', '/webhooks', Date.now())
    const client = { 'x-forwarded-for': `198.51.100.${10 + i}` }
    return send('/webhooks', { method: 'POST', headers: { ...client, ...headers }, body })
  })
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 201))
})

test('a message reaches its MCP session, whichever process gets it', async () => {
  const found = await sessionOfEach()
  for (const session of found.values()) {
    const { id } = session
    const responses = await sendMany(12, (i) => post(id, ping(i)))
    expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 202))
    const answered = () => [...session.text().matchAll(/^data: \{.*"id":(\d+)/gm)].map(([, n]) => Number(n))
    await expect.poll(() => answered().toSorted((a, b) => a - b), SECONDS).toEqual(responses.map((_, i) => i))
    const invalid = await sendMany(6, () => post(id, { jsonrpc: '1.0' }))
    expect(invalid.map(({ status }) => status)).toEqual(invalid.map(() => 400))
    expect(invalid[0]?.text).toContain('The body is not a JSON-RPC message')
  }
})

test('an unknown session is not found by any process', async () => {
  const uuid = '00000000-0000-4000-8000-000000000000'
  const ids = ['', uuid, '1-', '2-', '3-', `0-${uuid}`, `4-${uuid}`, `-1-${uuid}`, `02-${uuid}`, `2-${uuid}`]
  ids.push(`99999999999999999999-${uuid}`, `1e0-${uuid}`, `2-${uuid}&sessionId=3-${uuid}`)
  for (const id of ids) {
    const responses = await sendMany(4, () => post(id, ping(1)))
    expect([id, ...responses.map(({ status }) => status)]).toEqual([id, 404, 404, 404, 404])
  }
})

test('after kill -9 of one process the others answer, and it is started again', async () => {
  const found = await sessionOfEach()
  const [, session] = [...found].find(([number]) => number !== '1')!
  const number = session.id.split('-')[0]!
  const children = await childrenOf(gateway.pid())
  expect(children).toHaveLength(PROCESSES - 1)
  // Children are forked in the order of their numbers.
  process.kill(children.toSorted((a, b) => a - b)[Number(number) - 2]!, 'SIGKILL')
  await once(session.socket, 'close')
  const responses = await sendMany(20, async (i) => {
    // A connection that the dead process had not accepted is reset.
    for (;;) {
      try {
        return await (i % 2 === 0 ? send('/health') : post(session.id, ping(i)))
      } catch (error) {
        if (!/ECONNRESET|socket hang up/.test(String(error))) throw error
      }
    }
  })
  expect(responses.map(({ status }) => status)).toEqual(responses.map((_, i) => (i % 2 === 0 ? 200 : 404)))
  try {
    const timeout = Math.max(SECONDS.timeout, 10 * startMs)
    await expect.poll(async () => (await sessionOfEach()).size, { ...SECONDS, timeout }).toBe(PROCESSES)
  } catch (error) {
    process.stdout.write(`the gateway said of late:\n${gateway.output().slice(-4_000)}\n`)
    throw error
  }
  expect(gateway.output()).toContain(`API process ${number} ended (SIGKILL) and is started again`)
})

test('a paused process is left out of the metrics, and its sessions are answered with 503', async () => {
  const session = (await sessionOfEach()).get('2')!
  // The main process has some of these connections.
  const connections = Array.from({ length: 30 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const sendOverAll = (path: string, options: object = {}) =>
    connections.map((agent) => send(path, { ...options, agent }))
  await Promise.all(sendOverAll('/health'))
  const children = await childrenOf(gateway.pid())
  let posts: ReturnType<typeof send>[] = []
  for (const child of children) process.kill(child, 'SIGSTOP')
  try {
    const first = await Promise.any(sendOverAll('/metrics'))
    expect(first.text).toContain('process_start_time_seconds{process="1"}')
    expect(first.text).not.toMatch(/process="[23]"/)
    const body = JSON.stringify(ping(1))
    posts = sendOverAll(`/mcp/messages?sessionId=${session.id}`, { method: 'POST', body })
    const { status, text } = await Promise.any(posts)
    expect([status, text]).toEqual([503, expect.stringContaining('OVERLOADED')])
  } finally {
    for (const child of children) process.kill(child, 'SIGCONT')
  }
  const statuses = (await Promise.all(posts)).map((each) => each.status)
  expect(new Set(statuses)).toEqual(new Set([202, 503]))
  for (const agent of connections) agent.destroy()
})

/** Opens a request whose body is half sent. */
async function halfSent(): Promise<{ finish: () => void; response: Promise<string>; socket: Socket }> {
  const body = JSON.stringify({ query: '{ __typename }' })
  const socket = connect(port, '127.0.0.1')
  const head = `POST /graphql HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head)
  // 100 Continue: a process has the request.
  await once(socket, 'data')
  socket.write(body.slice(0, 5))
  // Without an end: Node does not respond to clients that close their side early.
  return { finish: () => socket.write(body.slice(5)), response: readText(socket), socket }
}

test('SIGTERM ends all processes with code 0 after their open requests', async () => {
  const requests = await Promise.all(Array.from({ length: 12 }, halfSent))
  const children = await childrenOf(gateway.pid())
  const ended = gateway.stop()
  // No process accepts connections any more.
  await expect.poll(() => isPortFree(port), SECONDS).toBe(true)
  expect(alive(children)).not.toEqual([])
  for (const { finish } of requests) finish()
  for (const { response } of requests) expect(await response).toContain('{"data":{"__typename":"Query"}}')
  expect(await ended).toBe(0)
  expect(alive(children)).toEqual([])
})

test('SIGTERM ends all processes although their open requests never end', async () => {
  port = Number(new URL((await gateway.start()).baseUrl).port)
  const requests = await Promise.all(Array.from({ length: 12 }, halfSent))
  const children = await childrenOf(gateway.pid())
  const begin = performance.now()
  expect(await gateway.stop()).toBe(0)
  expect(performance.now() - begin).toBeLessThan(30_000)
  expect(alive(children)).toEqual([])
  for (const { socket } of requests) socket.destroy()
})

test('a second signal ends all processes at once', async () => {
  port = Number(new URL((await gateway.start()).baseUrl).port)
  const requests = await Promise.all(Array.from({ length: 12 }, halfSent))
  const children = await childrenOf(gateway.pid())
  const signals = setInterval(() => gateway.signal('SIGTERM'), 400)
  const begin = performance.now()
  expect(await gateway.ended()).toBe(1)
  clearInterval(signals)
  expect(performance.now() - begin).toBeLessThan(5_000)
  await expect.poll(() => alive(children), SECONDS).toEqual([])
  for (const { socket } of requests) socket.destroy()
})

test('after kill -9 of the main process the others stop, and the port is free for the next start', async () => {
  port = Number(new URL((await gateway.start()).baseUrl).port)
  const children = await childrenOf(gateway.pid())
  expect(children).toHaveLength(PROCESSES - 1)
  await gateway.kill()
  await expect.poll(() => alive(children), SECONDS).toEqual([])
  expect(await isPortFree(port)).toBe(true)
  port = Number(new URL((await gateway.start()).baseUrl).port)
  expect((await send('/health')).status).toBe(200)
})

test('a second service on the same port does not start', async () => {
  const second = await createGatewayProcess({ ...settings(), PORT: String(port) })
  onTestFinished(() => second.remove())
  await expect(second.start()).rejects.toThrow(`127.0.0.1:${port} is in use`)
})

test('if a process cannot start, the service does not start and says why', async () => {
  const broken = await createGatewayProcess(settings())
  onTestFinished(() => broken.remove())
  writeFileSync(join(broken.dataDir, 'api-3'), '')
  await expect(broken.start()).rejects.toThrow('API process 3 ended (code 1) before it listened')
  expect(broken.output()).toContain('api-3')
  expect(await broken.ended()).toBe(1)
})
