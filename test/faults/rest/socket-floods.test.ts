import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { clientAt, type TestClient } from '../../support/clients.ts'

const noLedger = { call: () => Promise.reject(new Error('no test uses the ledger')) }
const INIT = JSON.stringify({ type: 'connection_init' })

let t: TestApp
let client: TestClient
beforeAll(async () => {
  t = await createTestApp({ ledger: noLedger })
  await t.app.listen({ port: 0, host: '127.0.0.1' })
  client = clientAt('127.0.0.1', (t.app.server.address() as AddressInfo).port)
})
afterAll(async () => {
  await client?.close()
  await t?.close()
})

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

describe('a client that sends many messages on a WebSocket', () => {
  test.each([
    ['does not read the answers', true],
    ['reads the answers', false],
  ])('and %s: most of them stay unread', async (_, pauses) => {
    const socket = await connected()
    if (pauses) socket.pause()
    const ping = JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(10_000) } })
    for (let i = 0; i < 5_000; i += 1) socket.send(ping)
    await wait(1_500)
    expect(socket.bufferedAmount).toBeGreaterThan(20_000_000)
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
    socket.send(operation(1, '{ agents { total } }'))
    await once(socket, 'close')
    await wait(100)
    expect(list).not.toHaveBeenCalled()
  })
})
