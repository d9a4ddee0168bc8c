import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { createClient } from 'graphql-ws'
import type { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createLedgerRpc } from '../../../src/ledger/rpc/ledger-rpc.ts'
import { openOrm } from '../../../src/db/orm.ts'
import type { AdmissionLimits } from '../../../src/platform/overload/admission.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { type BlockedReads, blockReads, poolOf } from '../../support/blocked-reads.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { keyOf } from '../../support/factories.ts'
import { openSse } from '../../support/subscriptions.ts'

const CONNECTIONS = 10
/** No test asks for the ledger. */
const NO_LEDGER = createLedgerRpc({ url: 'http://127.0.0.1:1' })
const PATIENT = { timeout: 10_000, interval: 20 }
/** Larger than what a test fills; it sets the one that it is about. */
const WIDE: AdmissionLimits = { inHand: 1_000, waiting: 1_000, patienceMs: Infinity }

let database: TestDatabase
let pool: Pool
let blocked: BlockedReads
let gateway: TestApp
let url: string
let now: number

beforeEach(async () => {
  database = await createTestDatabase()
  pool = await poolOf(database)
  now = Date.parse('2026-11-21T12:00:00Z')
})
afterEach(async () => {
  await blocked.release()
  await gateway.close()
  await database.drop()
})

async function start(limits: Partial<AdmissionLimits>): Promise<void> {
  const clock = { now: () => now }
  gateway = await createTestApp({ database, ledger: NO_LEDGER, clock, overload: { ...WIDE, ...limits } })
  url = await gateway.app.listen({ port: 0, host: '127.0.0.1' })
  blocked = await blockReads(database)
}

const get = (path: string): Promise<Response> => fetch(url + path)
/** Reads that nothing answers twice: each one asks the database. */
const reads = (count: number, from = 0): Promise<Response>[] =>
  Array.from({ length: count }, (_, i) => get(`/agents?offset=${from + i}`))
const statuses = async (answers: Promise<Response>[]): Promise<number[]> =>
  (await Promise.all(answers)).map((each) => each.status)
const post = (path: string, body: string): Promise<Response> =>
  fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
const submit = (): Promise<Response> =>
  post('/relay/submit', '{"id":"0f8fad5b-d9cb-469f-a165-70867728950e","signedTx":"AA=="}')
const waiting = (length: number): Promise<void> => expect.poll(() => pool.waitingCount, PATIENT).toBe(length)
const metric = async (name: string): Promise<string[]> =>
  ((await gateway.metrics.getSingleMetricAsString(name)).match(/^\w+\{.*$/gm) ?? []).map((line) =>
    line.slice(name.length),
  )

/** Answers counted that an alert is about. */
async function answersOfAlert(name: string): Promise<string[]> {
  const rules = readFileSync(new URL('../../../ops/alerts.yaml', import.meta.url), 'utf8')
  const [, status = ''] = new RegExp(`alert: ${name}\n.*status=~"([^"]+)"`).exec(rules) ?? []
  const counted = await gateway.metrics.getSingleMetricAsString('gateway_http_request_duration_seconds')
  expect(counted).toMatch(/_count\{.*status="shed"\} \d/)
  return counted.match(new RegExp(`^\\w+_count\\{.*status="${status}"\\}.*$`, 'gm')) ?? []
}

/** Fills the pool, and then the queue before it. */
async function fill(queued: number): Promise<Promise<Response>[]> {
  const answers = reads(CONNECTIONS)
  await expect.poll(() => blocked.held(), PATIENT).toBe(CONNECTIONS)
  answers.push(...reads(queued, 100))
  await waiting(queued)
  return answers
}

describe('a full queue before the database', () => {
  test('unsigned requests are refused at half of it, without a statement, and all is well afterwards', async () => {
    await start({ waiting: 8 })
    const taken = await fill(4)
    let connectionsTaken = 0
    pool.on('acquire', () => (connectionsTaken += 1))

    const refused = await Promise.all([
      get('/agents?offset=200'),
      get('/stakes'),
      post('/graphql', '{"query":"{ stakes { total } }"}'),
    ])
    for (const [i, each] of refused.entries()) {
      expect(each.status).toBe(503)
      expect(each.headers.get('retry-after')).toBe(String(i + 1))
      expect(each.headers.get('access-control-allow-origin')).toBe('*')
      expect(await each.json()).toEqual({ error: `There is too much to do now. Try again in ${i + 1} s` })
    }
    expect(pool.waitingCount).toBe(4)
    expect((await get('/health')).status).toBe(200)
    expect(await metric('gateway_overload_shed_requests_total')).toEqual([
      '{order="first",reason="queue_full"} 3',
    ])
    expect(await answersOfAlert('GatewayErrors')).toEqual([])

    await blocked.release()
    expect(await statuses(taken)).toEqual(taken.map(() => 200))
    expect(connectionsTaken).toBe(4)
    expect((await get('/agents?offset=200')).status).toBe(200)
  })

  test('what a wallet has signed is taken until it is full', async () => {
    await start({ waiting: 8 })
    const taken = await fill(4)
    expect((await get('/agents/x')).status).toBe(503)
    const submitted = Array.from({ length: 4 }, submit)
    await waiting(8)
    expect((await submit()).status).toBe(503)
    // Else 401: it says nothing of a wallet.
    expect((await get('/webhooks')).status).toBe(503)
    await blocked.release()
    expect(await statuses(taken)).toEqual(taken.map(() => 200))
    expect(await statuses(submitted)).toEqual([404, 404, 404, 404])
    expect((await get('/webhooks')).status).toBe(401)
  })

  test('whoever waits for a connection too long is told so, and the others are answered', async () => {
    const orm = await openOrm(database.connection, { connectTimeoutMs: 1_000 })
    const hasty = { ...database, orm }
    pool = await poolOf(hasty)
    gateway = await createTestApp({ database: hasty, ledger: NO_LEDGER, overload: WIDE })
    url = await gateway.app.listen({ port: 0, host: '127.0.0.1' })
    // Opening them takes part of the time.
    const opened = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()))
    for (const each of opened) each.release()
    blocked = await blockReads(database)
    const taken = reads(CONNECTIONS)
    await expect.poll(() => blocked.held(), PATIENT).toBe(CONNECTIONS)
    for (const each of await Promise.all(reads(3, 100))) {
      expect(each.status).toBe(503)
      expect(each.headers.get('retry-after')).toBe('5')
      expect(await each.json()).toEqual({ error: 'The database does not answer now' })
    }
    expect(pool.waitingCount).toBe(0)
    await blocked.release()
    expect(await statuses(taken)).toEqual(taken.map(() => 200))
    await orm.close()
  })
})

describe('a queue that does not become empty', () => {
  test('it is cut to what is worked on at once; a burst of any length is taken', async () => {
    await start({ patienceMs: 100 })
    const taken = await fill(CONNECTIONS + 15)
    // Somebody has seen it: from here on it stands.
    taken.push(...reads(1, 300))
    await waiting(CONNECTIONS + 16)
    now += 99
    taken.push(...reads(1, 400))
    await waiting(CONNECTIONS + 17)
    now += 1
    expect(await statuses(reads(2, 500))).toEqual([503, 503])
    expect(await metric('gateway_overload_shed_requests_total')).toEqual([
      '{order="first",reason="queue_stands"} 2',
    ])
    const submitted = submit()
    await waiting(CONNECTIONS + 18)
    await blocked.release()
    expect(await statuses(taken)).toEqual(taken.map(() => 200))
    expect((await submitted).status).toBe(404)
    now += 1_000
    expect(await statuses(reads(30))).toEqual(Array.from({ length: 30 }, () => 200))
  })

  test('shorter than that it may stand for as long as it likes', async () => {
    await start({ patienceMs: 100 })
    const taken = await fill(CONNECTIONS - 2)
    taken.push(...reads(1, 300))
    await waiting(CONNECTIONS - 1)
    now += 60_000
    taken.push(...reads(1, 400))
    await waiting(CONNECTIONS)
    expect(await statuses(reads(1, 500))).toEqual([503])
    await blocked.release()
    expect(await statuses(taken)).toEqual(taken.map(() => 200))
  })
})

describe('too many in hand', () => {
  const inHand = async (): Promise<string[]> => metric('gateway_overload_requests_in_hand')
  const EMPTY = ['{order="first"} 0', '{order="last"} 0']

  test('the next one is refused; those of a client that goes away count until their work is done', async () => {
    await start({ inHand: 5 })
    const gone = new AbortController()
    const taken = reads(2)
    const left = [1, 2].map((i) => fetch(`${url}/agents?offset=${50 + i}`, { signal: gone.signal }))
    const settled = Promise.allSettled(left)
    const port = (gateway.app.server.address() as AddressInfo).port
    const pipelined = connect(port, '127.0.0.1')
    pipelined.write('GET /agents?offset=70 HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(3))
    await expect.poll(inHand, PATIENT).toEqual(['{order="first"} 5', '{order="last"} 0'])
    expect((await get('/agents?offset=60')).status).toBe(503)
    expect((await get('/health')).status).toBe(200)
    expect((await get('/webhooks')).status).toBe(401)
    gone.abort()
    pipelined.destroy()
    await settled
    expect((await get('/agents?offset=60')).status).toBe(503)
    expect(await inHand()).toEqual(['{order="first"} 5', '{order="last"} 0'])
    await blocked.release()
    expect(await statuses(taken)).toEqual([200, 200])
    await expect.poll(inHand, PATIENT).toEqual(EMPTY)
  })

  test('streams are not in hand, are not cut, and their own requests are refused like others', async () => {
    await start({ waiting: 8 })
    const sse = await openSse(url, 'subscription { registryEvents { id } }')
    const mcp = new McpClient({ name: 'test', version: '1.0.0' })
    await mcp.connect(new SSEClientTransport(new URL(`${url}/mcp/sse`)))
    let closed = 0
    const ws = createClient({
      url: `${url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      lazy: false,
      retryAttempts: 0,
      onNonLazyError: () => undefined,
      on: { closed: () => (closed += 1) },
    })
    const ask = async (): Promise<unknown> => {
      const answer = ws.iterate({ query: `{ agent(pda: "${keyOf('agent')}") { pda } }` })
      return answer.next().then(
        ({ value }) => value as unknown,
        (errors: unknown) => errors,
      )
    }
    const NOT_FOUND = [{ message: 'Agent not found' }]
    const taken = await fill(0)
    // The stream of events looks for news in the database, so it may wait as well.
    const queued = reads(6, 100)
    await expect.poll(() => pool.waitingCount, PATIENT).toBeGreaterThanOrEqual(4)
    expect(await ask()).toMatchObject([{ extensions: { code: 'OVERLOADED', status: 503 } }])
    await expect(mcp.listTools()).rejects.toThrow(/503/)
    await blocked.release()
    expect(await statuses(taken)).toEqual(taken.map(() => 200))
    await statuses(queued)
    await expect.poll(inHand, PATIENT).toEqual(EMPTY)
    expect(closed).toBe(0)
    const { errors } = (await ask()) as { errors?: unknown }
    expect(errors ?? NOT_FOUND).toMatchObject(NOT_FOUND)
    expect((await mcp.listTools()).tools.length).toBeGreaterThan(0)
    sse.cut()
    await mcp.close()
    await ws.dispose()
  })
})

test('what a wallet has signed is shed last, what watches never, and the rest first', async () => {
  await start({ waiting: 2 })
  const taken = await fill(1)
  const statusOf = async (route: string): Promise<string> => {
    const [method = '', path = ''] = route.split(' ')
    const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
    const answer = await fetch(url + path, { method, ...body })
    const shed = (await answer.text()).startsWith('{"error":"There is too much')
    return `${method} ${path} ${shed ? 'shed' : answer.status}`
  }
  const last = [
    'POST /relay/submit 400',
    'POST /sponsor/register/submit 503',
    'GET /webhooks 401',
    'POST /webhooks 401',
    'PATCH /webhooks/x 401',
    'DELETE /webhooks/x 401',
    'POST /webhooks/x/rotate-secret 401',
    'POST /agents/x/credentials/verify 401',
  ]
  const first = [
    'GET /agents/x',
    'GET /did/x',
    'GET /webhooks/event-types',
    'POST /relay/prepare',
    'POST /mcp',
  ]
  for (const each of last) expect(await statusOf(each)).toBe(each)
  for (const each of first) expect(await statusOf(each)).toBe(`${each} shed`)
  // These ask the database themselves.
  const watched = ['GET /ready 200', 'GET /health/detailed 200', 'GET /metrics 200']
  const seen = watched.map((each) => statusOf(each))
  await blocked.release()
  expect(await Promise.all(seen)).toEqual(watched)
  expect(await statuses(taken)).toEqual(taken.map(() => 200))
})
