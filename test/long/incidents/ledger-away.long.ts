import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toJson } from '../../support/transactions/relay-world.ts'
import { type Balancer, startBalancer } from '../support/balancer.ts'
import {
  createProxiedNode,
  type FaultInjectingProxy,
  type ProxiedNode,
} from '../../support/fault-injecting-proxy.ts'
import { createIncidentWorld, type IncidentWorld, type Replica } from '../support/incident-world.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

/**
 * Longer than all times after which something changes while nobody answers: a standby takes over
 * after 15 s, a call of a node ends after 15 s. OUTAGE_SECONDS=120 also passes the 60 s after which
 * the indexer is reported as too far behind.
 */
const OUTAGE_MS = Number(process.env.OUTAGE_SECONDS ?? 36) * 1_000
const READERS = 4
const SOON = { timeout: scaled(60_000), interval: 100 }

const incident = perFile(() => createIncidentWorld())
let node: ProxiedNode
let apis: Replica[]
let balancer: Balancer
let ada: Awaited<ReturnType<IncidentWorld['world']['wallet']>>
let settings: Record<string, string>

beforeAll(async () => {
  const { localnet } = incident.world
  ada = await incident.world.wallet('Ada')
  node = await createProxiedNode(localnet)
  settings = { ...node.env, RATE_LIMITS: 'false' }
  await incident.start({ ...settings, ROLES: 'indexer' })
  apis = [
    await incident.start({ ...settings, ROLES: 'api' }),
    await incident.start({ ...settings, ROLES: 'api' }),
  ]
  balancer = await startBalancer()
})
afterAll(async () => {
  await balancer.close()
  await node.cut()
})

/** Listens in place of a node, accepts connections and never answers. */
async function silence({ port }: FaultInjectingProxy): Promise<() => Promise<void>> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => void sockets.add(socket.on('error', () => undefined)))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

interface Reads {
  count: number
  failures: string[]
  slowestMs: number
}

async function read(reads: Reads, signal: AbortSignal): Promise<void> {
  const query = JSON.stringify({ query: '{ agentsPage { total } }' })
  const paths = ['/agents', `/agents/${ada.agent}`, `/agents/${ada.agent}/history`, '/stakes', '/graphql']
  for (let i = 0; !signal.aborted; i += 1) {
    const path = paths[i % paths.length]!
    const startedAt = performance.now()
    const request = path === '/graphql' ? { method: 'POST', body: query } : {}
    const response = await fetch(balancer.url + path, request)
    await response.arrayBuffer()
    reads.count += 1
    reads.slowestMs = Math.max(reads.slowestMs, performance.now() - startedAt)
    if (response.status !== 200) reads.failures.push(`${path} ${response.status}`)
    await delay(20)
  }
}

async function age(url: string): Promise<{ slot: number; seconds: number }> {
  const { headers } = await fetch(`${url}/agents`)
  return { slot: Number(headers.get('x-registry-slot')), seconds: Number(headers.get('x-registry-age')) }
}

async function post(path: string, body: object): Promise<{ status: number; retryAfter: number; ms: number }> {
  const startedAt = performance.now()
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(apis[0]!.url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  await response.arrayBuffer()
  const retryAfter = Number(response.headers.get('retry-after'))
  return { status: response.status, retryAfter, ms: performance.now() - startedAt }
}
const prepare = () =>
  post('/relay/prepare', {
    instructions: [toJson(ada.instruction('update_agent', {}, { version: '2.0.0' }))],
    signerPubkeys: [ada.owner],
  })

test('while the ledger is away no read through a balancer fails, and responses say how old the tables are', async () => {
  for (const { url } of apis) {
    await expect.poll(async () => (await fetch(`${url}/ready`)).status, SOON).toBe(200)
    await balancer.add(url)
  }
  expect((await prepare()).status).toBe(200)
  const before = await age(apis[0]!.url)
  expect(before.slot).toBeGreaterThan(0)
  expect(before.seconds).toBeLessThan(30)

  const reading = new AbortController()
  const reads: Reads = { count: 0, failures: [], slowestMs: 0 }
  const readers = Array.from({ length: READERS }, () => read(reads, reading.signal))
  const cutAt = performance.now()
  await node.cut()
  const refused = await prepare()
  expect([refused.status, refused.retryAfter]).toEqual([503, 5])
  await delay(OUTAGE_MS / 2)

  // The node accepts connections and is silent.
  const speak = await Promise.all([node.http, node.socket].map(silence))
  const hanging = await prepare()
  expect([hanging.status, hanging.retryAfter]).toEqual([503, 5])
  expect(hanging.ms).toBeLessThan(13_000)
  const startedAt = performance.now()
  const eligibility = await fetch(`${apis[0]!.url}/sponsor/eligibility?wallet=${ada.owner}&code=x`)
  expect([eligibility.status, eligibility.headers.get('retry-after')]).toEqual([503, '5'])
  expect(performance.now() - startedAt).toBeLessThan(13_000)
  const late = await incident.start({ ...settings, ROLES: 'api' })
  await expect.poll(async () => (await fetch(`${late.url}/ready`)).status).toBe(200)
  await balancer.add(late.url)
  await delay(Math.max(0, cutAt + OUTAGE_MS - performance.now()))

  const outageSeconds = (performance.now() - cutAt) / 1_000
  for (const { url } of [...apis, late]) {
    const { slot, seconds } = await age(url)
    expect(slot).toBeGreaterThanOrEqual(before.slot)
    expect(seconds).toBeGreaterThan(outageSeconds - 2)
    const health = (await (await fetch(`${url}/health/detailed`)).json()) as {
      status: string
      indexer: { cursorSlot: number; lagSeconds: number }
    }
    expect(health).toMatchObject({ status: 'degraded', indexer: { cursorSlot: slot } })
    expect(health.indexer.lagSeconds).toBeGreaterThan(outageSeconds - 2)
  }
  for (const each of speak) await each()
  await node.restore()
  await expect.poll(async () => (await prepare()).status, SOON).toBe(200)
  await expect.poll(async () => (await age(late.url)).seconds, SOON).toBeLessThan(30)
  expect((await age(late.url)).slot).toBeGreaterThan(before.slot)
  reading.abort()
  await Promise.all(readers)
  expect(reads.failures).toEqual([])
  expect(balancer.failedChecks).toBe(0)
  expect(reads.count).toBeGreaterThan(100)
})
