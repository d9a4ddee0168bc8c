import { once } from 'node:events'
import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Limits, serveApp, type ServedApp } from '../../support/clients.ts'
import { createTestDatabase } from '../../support/database.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const MEGABYTE = 1_048_576
/** Of more than a megabyte each, so that the buffers of the system hold only a part. */
const RESPONSES = 16

const database = perFile(createTestDatabase)
let t: ServedApp
let script: string

/** Returns the connections of the server, in the order in which they are opened. */
async function start(reading: Limits['reading']): Promise<Socket[]> {
  t = await serveApp({ database, limits: { reading } })
  onTestFinished(() => t.close())
  const page = await t.app.inject({ url: '/graphql', headers: { accept: 'text/html' } })
  script = /\/graphql\/graphiql\/\w+\.js/.exec(page.body)![0]
  const sockets: Socket[] = []
  t.app.server.on('connection', (socket: Socket) => sockets.push(socket))
  return sockets
}

function openUnread(network: number): Socket {
  return t
    .client(`127.0.0.${network}`)
    .open(`GET ${script} HTTP/1.1\r\nHost: g\r\nAccept-Encoding: gzip\r\n\r\n`.repeat(RESPONSES))
    .pause()
}

const closedCount = () => t.total('gateway_slow_readers_closed_total')

test('above its unsent bytes, a network loses the connections that wait longest, and others lose none', async () => {
  const sockets = await start({ unsentPerClient: 40 * MEGABYTE })
  for (const network of [3, 2, 2, 2, 2]) {
    const opened = sockets.length
    openUnread(network)
    await expect.poll(() => sockets[opened]?.writableLength ?? 0).toBeGreaterThan(0)
  }
  await expect.poll(closedCount).toBeGreaterThan(0)
  const closed = sockets.map(({ destroyed }) => destroyed)
  expect(closed.slice(0, 2)).toEqual([false, true])
  expect(closed.at(-1)).toBe(false)
})

test('a client that reads slowly is disconnected, one that reads fast enough gets everything', async () => {
  const slowMs = scaled(3_000)
  const sockets = await start({ unsentPerClient: 99 * MEGABYTE, bytesPerSecond: 2 * MEGABYTE, slowMs })
  const slow = openUnread(2)
  await expect.poll(() => sockets.length).toBe(1)
  const fast = openUnread(3)
  let bytes = 0
  fast.on('data', ({ length }: Buffer) => (bytes += length)).resume()
  // Some kilobytes of the slow one, so that it is never silent.
  const reading = setInterval(() => slow.read(16_384), 50)
  await expect.poll(() => sockets[0]!.destroyed).toBe(true)
  clearInterval(reading)
  await expect.poll(() => bytes).toBeGreaterThan(RESPONSES * MEGABYTE)
  expect([fast.destroyed, await closedCount()]).toEqual([false, 1])
})

test('results that a WebSocket does not read count like responses', async () => {
  const sockets = await start({ unsentPerClient: MEGABYTE })
  const socket = t.client('127.0.0.2').webSocket()
  socket.on('error', () => undefined)
  await once(socket, 'open')
  socket.send('{"type":"connection_init"}')
  await once(socket, 'message')
  socket.pause()
  const query =
    '{ __schema { types { name description fields { name description args { name description } } } } }'
  for (let id = 0; id < 400; id += 1)
    socket.send(JSON.stringify({ id: String(id), type: 'subscribe', payload: { query } }))
  await expect.poll(() => sockets[0]!.destroyed).toBe(true)
})
