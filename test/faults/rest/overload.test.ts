import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Pool } from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import type { AdmissionLimits } from '../../../src/platform/overload/admission.ts'
import { databaseReader } from '../../../src/registry/registry.ts'
import { serveApp, type ServedApp } from '../../support/clients.ts'
import { builtConsole } from '../../support/console/built-console.ts'
import { type BlockedReads, blockReads, poolOf } from '../../support/blocked-reads.ts'
import { createTestDatabase } from '../../support/database.ts'
import { keyOf } from '../../support/factories.ts'
import { connectMcp } from '../../support/mcp.ts'
import { openSocket } from '../../support/operation-socket.ts'
import { openSse } from '../../support/subscriptions.ts'
import { perTest } from '../../support/lifetime.ts'

const CONNECTIONS = 10
/** Limits that no test reaches. Each test lowers the limit that it tests. */
const WIDE: AdmissionLimits = { inFlight: 1_000, queueDelayMs: Infinity }

const database = perTest(createTestDatabase)
let pool: Pool
let blocked: BlockedReads
let gateway: ServedApp
let now: number

beforeEach(async () => {
  pool = await poolOf(database)
  now = Date.parse('2026-11-21T12:00:00Z')
})
afterEach(async () => {
  await blocked.release()
  await gateway.close()
})

async function start(limits: Partial<AdmissionLimits>): Promise<void> {
  gateway = await serveApp({
    database,
    registry: databaseReader,
    clock: { now: () => now },
    overload: { ...WIDE, ...limits },
    console: { dist: builtConsole() },
  })
  blocked = await blockReads(database)
}

const get = (path: string): Promise<Response> => fetch(gateway.url + path)
const reads = (count: number, from = 0): Promise<Response>[] =>
  Array.from({ length: count }, (_, i) => get(`/agents?offset=${from + i}`))
const statuses = async (responses: Promise<Response>[]): Promise<number[]> =>
  (await Promise.all(responses)).map((each) => each.status)
const allAnswered = async (responses: Promise<Response>[], status = 200): Promise<void> =>
  expect(await statuses(responses)).toEqual(responses.map(() => status))
const post = (path: string, body: string): Promise<Response> =>
  fetch(gateway.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
const submit = (): Promise<Response> =>
  post('/relay/submit', '{"id":"0f8fad5b-d9cb-469f-a165-70867728950e","signedTx":"AA=="}')
const waiting = (length: number): Promise<void> => expect.poll(() => pool.waitingCount).toBe(length)
const metric = async (name: string): Promise<string[]> =>
  ((await gateway.metrics.getSingleMetricAsString(name)).match(/^\w+\{.*$/gm) ?? []).map((line) =>
    line.slice(name.length),
  )

/** The counted responses that an alert rule selects. */
async function responsesOfAlert(name: string): Promise<string[]> {
  const rules = readFileSync(new URL('../../../ops/alerts.yaml', import.meta.url), 'utf8')
  const [, status = ''] = new RegExp(`alert: ${name}\n.*status=~"([^"]+)"`).exec(rules) ?? []
  const counted = await gateway.metrics.getSingleMetricAsString('gateway_http_request_duration_seconds')
  expect(counted).toMatch(/_count\{.*status="shed"\} \d/)
  return counted.match(new RegExp(`^\\w+_count\\{.*status="${status}"\\}.*$`, 'gm')) ?? []
}

/** Occupies all database connections, and then queues this many requests. */
async function fill(queued: number): Promise<Promise<Response>[]> {
  const responses = reads(CONNECTIONS)
  await expect.poll(() => blocked.held()).toBe(CONNECTIONS)
  responses.push(...reads(queued, 100))
  await waiting(queued)
  return responses
}

describe('when too many requests wait', () => {
  test('low priority is refused, without any SQL, and is accepted again afterwards', async () => {
    await start({ inFlight: CONNECTIONS + 4 })
    const taken = await fill(4)
    let connectionsAcquired = 0
    pool.on('acquire', () => (connectionsAcquired += 1))

    const refused = await Promise.all([
      get('/agents?offset=200'),
      get('/stakes'),
      post('/graphql', '{"query":"{ stakesPage { total } }"}'),
    ])
    for (const [i, each] of refused.entries()) {
      expect(each.status).toBe(503)
      expect(each.headers.get('retry-after')).toBe(String(i + 1))
      expect(each.headers.get('access-control-allow-origin')).toBe('*')
      expect(await each.json()).toEqual({
        error: `The service is overloaded. Try again in ${i + 1} s`,
        details: { code: 'OVERLOADED' },
      })
    }
    expect(pool.waitingCount).toBe(4)
    expect((await get('/health')).status).toBe(200)
    expect(await metric('gateway_requests_shed_total')).toEqual(['{priority="low",reason="in_flight"} 3'])
    expect(await responsesOfAlert('GatewayErrors')).toEqual([])

    await blocked.release()
    await allAnswered(taken)
    expect(connectionsAcquired).toBe(4)
    expect((await get('/agents?offset=200')).status).toBe(200)
  })

  test('high priority has a limit of its own', async () => {
    await start({ inFlight: CONNECTIONS + 4 })
    const taken = await fill(4)
    expect((await get('/agents/x')).status).toBe(503)
    const submitted = Array.from({ length: CONNECTIONS + 4 }, submit)
    await waiting(CONNECTIONS + 8)
    expect((await submit()).status).toBe(503)
    // Without overload it is 401, because it has no wallet headers.
    expect((await get('/webhooks')).status).toBe(503)
    await blocked.release()
    await allAnswered(taken)
    await allAnswered(submitted, 404)
    expect((await get('/webhooks')).status).toBe(401)
  })

  test('a request that waits too long for a connection gets 503; the others are answered', async () => {
    const orm = await openOrm(database.connection, { connectTimeoutMs: 1_000 })
    const hasty = { ...database, orm }
    pool = await poolOf(hasty)
    gateway = await serveApp({ database: hasty, overload: WIDE, registry: databaseReader })
    // Opens the connections first, because that takes part of the time limit.
    const opened = await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect()))
    for (const each of opened) each.release()
    blocked = await blockReads(database)
    const taken = reads(CONNECTIONS)
    await expect.poll(() => blocked.held()).toBe(CONNECTIONS)
    for (const each of await Promise.all(reads(3, 100))) {
      expect(each.status).toBe(503)
      expect(each.headers.get('retry-after')).toBe('5')
      expect(await each.json()).toEqual({
        error: 'The database is not available',
        details: { code: 'DATABASE_UNAVAILABLE' },
      })
    }
    expect(pool.waitingCount).toBe(0)
    await blocked.release()
    await allAnswered(taken)
    await orm.close()
  })
})

describe('when the database queue does not become empty', () => {
  test('a burst of any length is accepted; after the delay limit, no more may wait than there are connections', async () => {
    await start({ queueDelayMs: 100 })
    const taken = await fill(CONNECTIONS + 15)
    // The first request that finds a queue starts the time window.
    taken.push(...reads(1, 300))
    await waiting(CONNECTIONS + 16)
    now += 99
    taken.push(...reads(1, 400))
    await waiting(CONNECTIONS + 17)
    now += 1
    expect(await statuses(reads(2, 500))).toEqual([503, 503])
    expect(await metric('gateway_requests_shed_total')).toEqual(['{priority="low",reason="queue_delay"} 2'])
    const submitted = submit()
    await waiting(CONNECTIONS + 18)
    await blocked.release()
    await allAnswered(taken)
    expect((await submitted).status).toBe(404)
    now += 1_000
    await allAnswered(reads(30))
  })

  test('a queue no longer than the number of connections is never too long', async () => {
    await start({ queueDelayMs: 100 })
    const taken = await fill(CONNECTIONS - 2)
    taken.push(...reads(1, 300))
    await waiting(CONNECTIONS - 1)
    now += 60_000
    taken.push(...reads(1, 400))
    await waiting(CONNECTIONS)
    expect(await statuses(reads(1, 500))).toEqual([503])
    await blocked.release()
    await allAnswered(taken)
  })
})

describe('when too many requests are in flight', () => {
  const inFlight = async (): Promise<string[]> => metric('gateway_requests_in_flight')
  const EMPTY = ['{priority="low"} 0', '{priority="high"} 0']

  test('the next request is refused; requests of a disconnected client count until their handlers finish', async () => {
    await start({ inFlight: 5 })
    const gone = new AbortController()
    const taken = reads(2)
    const left = [1, 2].map((i) => fetch(`${gateway.url}/agents?offset=${50 + i}`, { signal: gone.signal }))
    const settled = Promise.allSettled(left)
    const pipelined = connect(gateway.port, '127.0.0.1')
    pipelined.write('GET /agents?offset=70 HTTP/1.1\r\nHost: gateway\r\n\r\n'.repeat(3))
    await expect.poll(inFlight).toEqual(['{priority="low"} 5', '{priority="high"} 0'])
    expect((await get('/agents?offset=60')).status).toBe(503)
    expect((await get('/health')).status).toBe(200)
    expect((await get('/webhooks')).status).toBe(401)
    gone.abort()
    pipelined.destroy()
    await settled
    expect((await get('/agents?offset=60')).status).toBe(503)
    expect(await inFlight()).toEqual(['{priority="low"} 5', '{priority="high"} 0'])
    await blocked.release()
    expect(await statuses(taken)).toEqual([200, 200])
    await expect.poll(inFlight).toEqual(EMPTY)
  })

  test('open streams do not count and stay open; operations on them are refused like other requests', async () => {
    await start({ inFlight: CONNECTIONS + 6 })
    const sse = await openSse(gateway.url, 'subscription { registryEvents { id } }')
    const mcp = await connectMcp('SDK 1.x over SSE', gateway.url)
    let closed = 0
    const ws = await openSocket(gateway.url)
    ws.on('closed', () => (closed += 1))
    const runQuery = async (): Promise<unknown> => {
      const response = ws.iterate({ query: `{ agent(pda: "${keyOf('agent')}") { pda } }` })
      return response.next().then(
        ({ value }) => value as unknown,
        (errors: unknown) => errors,
      )
    }
    const NOT_FOUND = [{ message: 'Agent not found' }]
    const taken = await fill(0)
    const queued = reads(6, 100)
    await expect.poll(inFlight).toEqual([`{priority="low"} ${CONNECTIONS + 6}`, '{priority="high"} 0'])
    expect(await runQuery()).toMatchObject([{ extensions: { code: 'OVERLOADED', status: 503 } }])
    await expect(mcp.listTools()).rejects.toThrow(/503/)
    await blocked.release()
    await allAnswered(taken)
    await statuses(queued)
    await expect.poll(inFlight).toEqual(EMPTY)
    expect(closed).toBe(0)
    const { errors } = (await runQuery()) as { errors?: unknown }
    expect(errors ?? NOT_FOUND).toMatchObject(NOT_FOUND)
    expect((await mcp.listTools()).tools.length).toBeGreaterThan(0)
    sse.cut()
    await mcp.close()
    await ws.dispose()
  })
})

test('each route has its priority: signed requests high, all others low, and neither health checks nor files are refused', async () => {
  await start({ inFlight: CONNECTIONS + 1 })
  const taken = await fill(1)
  const statusOf = async (route: string): Promise<string> => {
    const [method = '', path = ''] = route.split(' ')
    const body = method === 'GET' ? {} : { body: '{}', headers: { 'content-type': 'application/json' } }
    const response = await fetch(gateway.url + path, { method, ...body })
    const shed = (await response.text()).startsWith('{"error":"The service is overloaded')
    return `${method} ${path} ${shed ? 'shed' : response.status}`
  }
  const high = [
    'POST /relay/submit 400',
    'POST /sponsor/register/submit 503',
    'GET /webhooks 401',
    'POST /webhooks 401',
    'PATCH /webhooks/x 401',
    'DELETE /webhooks/x 401',
    'POST /webhooks/x/rotate-secret 401',
    'POST /agents/x/credentials/verify 401',
  ]
  const reading = ['GET /agents/x', 'GET /did/x', 'GET /webhooks/event-types', 'GET /docs/json']
  const low = [...reading, 'POST /relay/prepare', 'POST /mcp']
  for (const each of high) expect(await statusOf(each)).toBe(each)
  for (const each of low) expect(await statusOf(each)).toBe(`${each} shed`)
  const page = await (await fetch(`${gateway.url}/docs`)).text()
  const style = `/${/docs\/static\/\w+\.css/.exec(page)?.[0]}`
  for (const file of ['/console/', '/console/assets/index-1.js', '/docs/', style])
    expect(await statusOf(`GET ${file}`)).toBe(`GET ${file} 200`)
  // These routes use the database.
  const exempt = ['GET /ready 200', 'GET /health/detailed 200', 'GET /metrics 200']
  const seen = exempt.map((each) => statusOf(each))
  await blocked.release()
  expect(await Promise.all(seen)).toEqual(exempt)
  await allAnswered(taken)
})
