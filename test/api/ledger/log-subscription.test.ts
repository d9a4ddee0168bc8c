import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { LogSubscription } from '../../../src/ledger/indexer/announcements.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import { createRegistryWorld, programId } from '../../support/ledger/registry-world.ts'
import { perTest } from '../../support/lifetime.ts'

const world = perTest(() => createRegistryWorld({ slotMs: 20 }))
let subscription: LogSubscription | undefined
let connections = 0
let announced: string[] = []

beforeEach(async () => {
  connections = 0
  announced = []
})
afterEach(async () => {
  subscription?.close()
})

function subscribe(quietMs?: number, url: string | (() => string[]) = world.localnet.wsUrl): void {
  subscription = new LogSubscription({
    url,
    programId,
    commitment: 'confirmed',
    logger: silentLogger,
    onTransaction: ({ signature }) => announced.push(signature),
    onConnected: () => (connections += 1),
    ...(quietMs === undefined ? {} : { quietMs }),
  })
}

test('transactions of the program are announced, before and after a dropped connection', async () => {
  subscribe()
  await expect.poll(() => connections).toBe(1)
  await world.wallet('one')
  await expect.poll(() => announced).toHaveLength(1)
  world.localnet.fault.refuseSockets = true
  world.localnet.fault.dropSockets()
  await expect.poll(() => subscription?.connected).toBe(false)
  world.localnet.fault.clear()
  await expect.poll(() => connections).toBe(2)
  await world.wallet('two')
  await expect.poll(() => announced).toHaveLength(2)
  expect(new Set(announced).size).toBe(2)
})

test('a silent open socket is replaced', async () => {
  subscribe(150)
  await expect.poll(() => connections).toBe(1)
  world.localnet.fault.muteSockets = true
  await expect.poll(() => connections).toBeGreaterThan(1)
  expect(announced).toEqual([])
})

test('when the URL of a node is removed, the subscription moves to another node', async () => {
  const other = await createRegistryWorld({ slotMs: 20 })
  onTestFinished(() => other.close())
  const urls = [other.localnet.wsUrl, world.localnet.wsUrl]
  // Longer than a busy machine can block the event loop.
  subscribe(1_500, () => urls)
  await expect.poll(() => connections).toBe(1)
  urls.shift()
  await expect.poll(() => connections).toBe(2)
  await other.wallet('unheard')
  await world.wallet('heard')
  await expect.poll(() => announced).toHaveLength(1)
  expect(subscription?.connected).toBe(true)
})

test('a node without slot notifications is asked for confirmed transactions, and stays connected while it answers pings', async () => {
  // A fake node, because the localnet does not refuse slot notifications.
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => server.close())
  let pings = 0
  let asked: unknown
  server.on('connection', (socket) => {
    socket.on('ping', () => (pings += 1))
    socket.on('message', (data: Buffer) => {
      const { id, method, params } = JSON.parse(data.toString()) as {
        id: number
        method: string
        params: unknown
      }
      if (method === 'logsSubscribe') asked = params
      socket.send('not JSON')
      const answer =
        method === 'slotSubscribe' ? { error: { code: -32601, message: 'refused' } } : { result: 1 }
      socket.send(JSON.stringify({ id, ...answer }))
    })
  })
  await once(server, 'listening')
  subscribe(600, `ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await expect.poll(() => pings, { timeout: 10_000 }).toBeGreaterThanOrEqual(5)
  expect([connections, subscription?.connected]).toEqual([1, true])
  expect(asked).toEqual([{ mentions: [programId] }, { commitment: 'confirmed' }])
})

test('the timer for pings ends with the subscription', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  try {
    subscribe()
    await expect.poll(() => connections).toBe(1)
    subscription?.close()
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})
