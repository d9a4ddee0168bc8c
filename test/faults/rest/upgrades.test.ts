import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { serveApp, type ServedApp } from '../../support/clients.ts'
import { createTestDatabase } from '../../support/database.ts'
import { perFile } from '../../support/lifetime.ts'

const READS = 30

const database = perFile(createTestDatabase)
/** Refuses most upgrades of a client, because of its rate limit. */
const limited = perFile(() =>
  serveApp({ database, rateLimits: { reads: READS }, overload: { inFlight: 1_000 } }),
)
/** Has one place for a WebSocket, and accepts no other origins. */
const small = perFile(() =>
  serveApp({
    database,
    corsOrigins: [],
    limits: { sockets: { perClient: 0, total: 1 } },
  }),
)
const impatient = perFile(() => serveApp({ database, limits: { upgradeMs: 300 } }))

const upgrade = (path: string, headers = '', method = 'GET', protocol = 'websocket'): string =>
  `${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n${headers}\r\n`
const KEY = 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n'

/** Sends bytes and never closes the connection by itself. Returns all that the server sent. */
async function answerTo(t: ServedApp, bytes: string): Promise<string> {
  const socket: Socket = connect({ port: t.port, host: '127.0.0.1', allowHalfOpen: true })
  let text = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => (text += chunk.toString()))
  socket.write(bytes)
  await Promise.race([once(socket, 'end'), once(socket, 'close')])
  await expect.poll(t.connections).toBe(0)
  socket.destroy()
  return text
}

describe('a refused upgrade ends with a closed socket, although its client keeps it open', () => {
  test.each([
    ['of another origin', upgrade('/graphql', `${KEY}Origin: https://evil.example\r\n`), 403],
    ['without a place for its socket', upgrade('/graphql', KEY), 429],
    ['at another path', upgrade('/agents', KEY), 200],
    ['at an unknown path', upgrade('/nothing', KEY), 404],
    ['with another method', upgrade('/graphql', `${KEY}Content-Length: 0\r\n`, 'POST'), 400],
    ['with an unknown method of the path', upgrade('/graphql', KEY, 'DELETE'), 405],
    ['to HTTP/2', upgrade('/health', 'HTTP2-Settings: AAMAAABkAAQAAP__\r\n', 'GET', 'h2c'), 200],
  ])('%s', async (_, bytes, status) => {
    const text = await answerTo(small, bytes)
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(text.toLowerCase()).toContain('connection: close')
  })

  test.each([
    ['without a key', upgrade('/graphql', 'Sec-WebSocket-Version: 13\r\n')],
    ['of an unknown version', upgrade('/graphql', KEY.replace('13', '7'))],
  ])('%s', async (_, bytes) => {
    expect(await answerTo(limited, bytes)).toMatch(/^HTTP\/1.1 4\d\d /)
    const inFlight = await limited.metrics.getSingleMetricAsString('gateway_requests_in_flight')
    expect(inFlight).toContain('{priority="low"} 0\n')
  })
})

test('an upgrade behind a request without a response is answered like a request', async () => {
  const health = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'
  const text = await answerTo(small, health + health + upgrade('/graphql', KEY))
  expect(text.match(/HTTP\/1.1 \d+/g)).toHaveLength(3)
})

test('500 upgrades beyond the rate limit leave no socket', async () => {
  const statuses = new Map<string, number>()
  const count = (status: string): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const tryOne = async (): Promise<void> => {
    const socket = new WebSocket(`ws://127.0.0.1:${limited.port}/graphql`, 'graphql-transport-ws')
    socket.on('error', ({ message }) => count(message))
    socket.once('open', () => {
      count('open')
      socket.terminate()
    })
    await new Promise((resolve) => socket.once('close', resolve))
  }
  for (let i = 0; i < 5; i += 1) await Promise.all(Array.from({ length: 100 }, tryOne))
  expect([...statuses.values()].reduce((sum, each) => sum + each)).toBe(500)
  expect(statuses.get('Unexpected server response: 429')).toBeGreaterThan(400)
  await expect.poll(limited.connections).toBe(0)
})

test('an upgrade whose answer is held up is closed', async () => {
  const held = new Promise<never>(() => undefined)
  const { server } = impatient.app
  const [listener] = server.listeners('upgrade').slice(-1) as ((...all: unknown[]) => void)[]
  server.off('upgrade', listener!)
  server.once('upgrade', () => void held)
  expect(await answerTo(impatient, upgrade('/graphql', KEY))).toBe('')
  server.on('upgrade', listener!)
})
