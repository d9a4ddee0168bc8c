import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TestAppOptions } from '../../support/app.ts'
import { type Limits, serveApp, type ServedApp, type TestClient } from '../../support/clients.ts'
import { scaled } from '../../support/machine-speed.ts'

const HALF_HEADERS = 'GET /health HTTP/1.1\r\nHost: gateway\r\nX-Half: '
const HALF_BODY =
  'POST /relay/prepare HTTP/1.1\r\nHost: gateway\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{'
const COMPLETE = 'GET /health HTTP/1.1\r\nHost: gateway\r\n\r\n'
/** Longer than it takes to open all connections. */
const GRACE_MS = scaled(600)
const afterGrace = () => new Promise((resolve) => setTimeout(resolve, GRACE_MS + 50))

let t: ServedApp
async function start(limits: Limits, options: Partial<TestAppOptions> = {}): Promise<void> {
  t = await serveApp({ limits, ...options })
  onTestFinished(() => t.close())
}
const openMany = (from: TestClient, count: number, bytes: string): Socket[] =>
  Array.from({ length: count }, () => from.open(bytes))
const stillOpen = (sockets: Socket[]): number => sockets.filter(({ closed }) => !closed).length

describe('while one client opens more connections than the process can have', () => {
  test.each([
    ['half-sent headers', HALF_HEADERS],
    ['half-sent bodies', HALF_BODY],
    ['nothing sent', ''],
    ['idle connections', COMPLETE],
  ])('%s: another client is always answered', async (_, bytes) => {
    await start({ maxConnections: 200 })
    const [hostile, honest] = [t.client('127.0.0.2'), t.client('127.0.0.3')]
    for (let i = 0; i < 5; i += 1) {
      const sockets = openMany(hostile, 100, bytes)
      if (bytes === COMPLETE) await Promise.all(sockets.map((each) => once(each, 'data')))
      const own = t.client('127.0.0.3')
      expect((await own.send('/health')).status).toBe(200)
      expect((await honest.send('/agents')).status).toBe(200)
    }
    expect(await t.connections()).toBeLessThanOrEqual(200)
  })
})

test('connections that were never used do not delay the end of the service', async () => {
  await start({ headersMs: 600_000, requestMs: 600_000, closeMs: 600_000 })
  // The app closes its own clients before it ends.
  const unused = Array.from({ length: 5 }, () => connect(t.port, '127.0.0.1'))
  await expect.poll(t.connections).toBe(5)
  await t.close()
  await expect.poll(() => stillOpen(unused)).toBe(0)
})

describe('connections of one client without a complete request', () => {
  test.each([
    ['headers', HALF_HEADERS],
    ['bodies', HALF_BODY],
  ])('above the limit, the oldest get 408: %s', async (_, bytes) => {
    await start({ incompletePerClient: 10, incompleteGraceMs: GRACE_MS })
    const hostile = t.client('127.0.0.2')
    const sockets = openMany(hostile, 30, bytes)
    const answers = sockets.slice(0, 21).map(async (each) => String((await once(each, 'data'))[0]))
    await expect.poll(t.connections).toBe(30)
    await afterGrace()
    const last = hostile.open(bytes)
    for (const answer of await Promise.all(answers)) expect(answer).toMatch(/^HTTP\/1.1 408 /)
    // With the last connection, ten are left.
    await expect.poll(() => stillOpen(sockets)).toBe(9)
    expect(last.closed).toBe(false)
  })

  test('a pipelined request with half a body counts, although an earlier response has ended', async () => {
    await start({ incompletePerClient: 10, incompleteGraceMs: GRACE_MS })
    const hostile = t.client('127.0.0.2')
    const sockets = openMany(hostile, 30, COMPLETE + HALF_BODY)
    await Promise.all(sockets.map((each) => once(each, 'data')))
    await afterGrace()
    hostile.open(HALF_BODY)
    // With the last connection, ten are left.
    await expect.poll(() => stillOpen(sockets)).toBe(9)
  })

  test('a burst of complete requests above the limit is answered, and idle connections do not count', async () => {
    await start({ incompletePerClient: 10, incompleteGraceMs: 5_000 })
    const busy = t.client('127.0.0.2')
    const sockets = openMany(busy, 60, COMPLETE)
    for (const each of await Promise.all(sockets.map((socket) => once(socket, 'data'))))
      expect(String(each[0])).toMatch(/^HTTP\/1.1 200 /)
    expect(stillOpen(sockets)).toBe(60)
    expect(await t.connections()).toBe(60)
  })

  test('those of a trusted proxy are not limited, because it connects for many clients', async () => {
    await start({ incompletePerClient: 10, incompleteGraceMs: GRACE_MS }, { trustProxy: ['127.0.0.2/32'] })
    const proxy = t.client('127.0.0.2')
    const sockets = openMany(proxy, 30, HALF_HEADERS)
    await expect.poll(t.connections).toBe(30)
    await afterGrace()
    sockets.push(proxy.open(HALF_HEADERS))
    expect((await proxy.send('/health')).status).toBe(200)
    expect(stillOpen(sockets)).toBe(31)
  })

  test('bodies that come through a trusted proxy are limited by the client that it names', async () => {
    await start({ incompletePerClient: 10, incompleteGraceMs: GRACE_MS }, { trustProxy: ['127.0.0.2/32'] })
    const proxy = t.client('127.0.0.2')
    const halfBody = (ip: string): string => HALF_BODY.replace('Host:', `X-Forwarded-For: ${ip}\r\nHost:`)
    const sockets = openMany(proxy, 30, halfBody('203.0.113.1')).map((each) => each.resume())
    await expect.poll(t.connections).toBe(30)
    await afterGrace()
    const other = proxy.open(halfBody('203.0.113.2'))
    const last = proxy.open(halfBody('203.0.113.1'))
    await expect.poll(() => stillOpen(sockets)).toBe(9)
    expect([other.closed, last.closed]).toEqual([false, false])
  })
})

test('a client with hundreds of requests at once delays another one by a few of them, and all are answered', async () => {
  await start({})
  const answers: string[] = []
  const read = async (remoteAddress: string): Promise<void> => {
    expect((await t.app.inject({ url: '/health', remoteAddress })).statusCode).toBe(200)
    answers.push(remoteAddress)
  }
  await Promise.all([...Array<string>(300).fill('127.0.0.2'), '127.0.0.3'].map(read))
  expect(answers).toHaveLength(301)
  expect(answers.indexOf('127.0.0.3')).toBeLessThan(40)
})
