import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { serveApp } from '../../support/clients.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile, perTest } from '../../support/lifetime.ts'

const INIT = JSON.stringify({ type: 'connection_init' })

const sockets = new Set<Socket>()
const t = perFile(() => serveApp({ clock: { now: () => Date.now() }, rateLimits: { reads: 600 } }))
let network = 10
/** Each test has a network of its own. */
const client = perTest(() => t.client(`127.0.0.${(network += 1)}`))
beforeAll(() => void t.app.server.on('connection', (socket: Socket) => sockets.add(socket)))
afterEach(() => vi.restoreAllMocks())

async function connected(): Promise<WebSocket> {
  const socket = client.webSocket()
  socket.on('error', () => undefined)
  await once(socket, 'open')
  socket.send(INIT)
  await once(socket, 'message')
  return socket
}

const operation = (id: number, query: string): string =>
  JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } })

/** Sends messages as fast as the socket takes them. Returns how many were sent. */
async function flood(socket: WebSocket, message: string, ms: number): Promise<number> {
  let sent = 0
  const begin = performance.now()
  while (performance.now() - begin < ms && socket.readyState === socket.OPEN) {
    if (socket.bufferedAmount < 1_000_000) {
      socket.send(message)
      sent += 1
    } else await new Promise(setImmediate)
  }
  return sent
}

describe('a client that sends many messages on a WebSocket', () => {
  test.each([
    ['small pings', JSON.stringify({ type: 'ping', payload: { x: 'x'.repeat(900) } }), 200],
    ['parts of an unknown operation', JSON.stringify({ type: 'complete', id: 'x'.repeat(20_000) }), 100],
  ])(
    '%s: when its units are used up, they are read as fast as units come back',
    async (_, message, perSecond) => {
      const socket = await connected()
      const charged = vi.spyOn(t.services.rateLimits, 'chargeUsed')
      const waitMs = () => Number(charged.mock.results.at(-1)?.value ?? 0)
      // Units come back meanwhile, so the time that it takes depends on the machine.
      do await flood(socket, message, 100)
      while (waitMs() === 0 && socket.readyState === socket.OPEN)
      await expect.poll(waitMs).toBeGreaterThan(0)
      const before = charged.mock.calls.length
      const begin = performance.now()
      await flood(socket, message, 2_000)
      const seconds = (performance.now() - begin) / 1_000
      expect(charged.mock.calls.length - before).toBeLessThan(seconds * perSecond + 100)
      // Other sockets of this network still open, and those of others are read at once.
      expect(await t.client('127.0.0.9').send('/agents?limit=1')).toMatchObject({ status: 200 })
      socket.terminate()
    },
  )

  test.each(['ping', 'pong'])(
    'a %s with a payload of more than a kilobyte closes its socket',
    async (type) => {
      const socket = await connected()
      socket.send(JSON.stringify({ type, payload: { values: Array.from({ length: 500 }, () => [1]) } }))
      const [code, reason] = (await once(socket, 'close')) as [number, Buffer]
      expect([code, reason.toString()]).toEqual([
        4400,
        'The payload of a ping or pong has more than 1024 characters',
      ])
    },
  )

  test('a client that does not confirm that its socket is closed loses it after a second', async () => {
    const socket = await connected()
    const connection = (socket as unknown as { _socket: Socket })._socket
    const served = [...sockets].at(-1)!
    // It no longer reads, so it does not answer.
    connection.pause()
    socket.send(JSON.stringify({ type: 'unknown' }))
    await expect.poll(() => served.destroyed, { timeout: scaled(5_000) }).toBe(true)
    socket.terminate()
  })

  test('gets the answers of a few hundred, later', async () => {
    const socket = await connected()
    const answered = new Set<string>()
    socket.on('message', (data: Buffer) => {
      const { type, id } = JSON.parse(data.toString()) as { type: string; id: string }
      if (type === 'complete') answered.add(id)
    })
    for (let i = 0; i < 400; i += 1) socket.send(operation(i, '{ __typename }'))
    await expect.poll(() => answered.size).toBe(400)
    socket.terminate()
  })

  test('has no more operations after the socket was closed for a mistake', async () => {
    const list = vi.spyOn(t.services.agents, 'list')
    const socket = await connected()
    const mistake = JSON.stringify({ type: 'unknown' })
    socket.send(mistake)
    socket.send(operation(1, '{ agentsPage { total } }'))
    await once(socket, 'close')
    await wait(100)
    expect(list).not.toHaveBeenCalled()
  })
})
