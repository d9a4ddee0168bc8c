import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveApp } from '../../support/clients.ts'
import { walletOf } from '../../support/wallet.ts'
import { collectGarbage, processorMs } from '../../support/process-use.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const CHALLENGE = JSON.stringify({ wallet: walletOf('alice').pubkey })
const MESSAGES = 2_000
const t = perFile(() =>
  serveApp({
    clock: { now: () => Date.now() },
    trustProxy: ['127.0.0.1'],
    rateLimits: { reads: 600 },
  }),
)

test('messages on a WebSocket take no longer after a long X-Forwarded-For', async () => {
  const measure = async (forwarded: string): Promise<number> => {
    const headers = { 'x-forwarded-for': forwarded }
    const socket = new WebSocket(`ws://127.0.0.1:${t.port}/graphql`, 'graphql-transport-ws', { headers })
    await once(socket, 'open')
    socket.send('{"type":"connection_init"}')
    await once(socket, 'message')
    const spent = await processorMs(async () => {
      let answers = 0
      const answered = new Promise<void>((resolve) =>
        socket.on('message', () => ++answers === MESSAGES && resolve()),
      )
      for (let i = 0; i < MESSAGES; i += 1) socket.send('{"type":"ping"}')
      await answered
    })
    socket.terminate()
    return spent
  }
  await measure('203.0.113.1')
  const short = await measure('203.0.113.2')
  const long = await measure(`${'1,'.repeat(7_000)}203.0.113.3`)
  expect(long).toBeLessThan(2 * short + scaled(20))
})

test('limits remember the address of a client, and not its whole X-Forwarded-For', () => {
  const clients = 2_000
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  for (let i = 0; i < clients; i += 1) {
    const ip = `203.${100 + (i >> 7)}.113.${100 + (i & 127)}`
    const header = Buffer.alloc(8_000 + ip.length, '1,')
      .fill(ip, 8_000)
      .toString('latin1')
    t.services.rateLimits.charge(header.slice(8_000), 1)
  }
  collectGarbage()
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(clients * 1_000)
})

test('a long X-Forwarded-For without an address is one client, and no error of the database', async () => {
  const headers = {
    'content-type': 'application/json',
    'x-forwarded-for': randomBytes(3_000).toString('hex'),
  }
  const response = await fetch(`${t.url}/auth/challenge`, { method: 'POST', headers, body: CHALLENGE })
  expect(response.status).toBe(200)
})
