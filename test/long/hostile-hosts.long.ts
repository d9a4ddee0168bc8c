import { queryObjects } from 'node:v8'
import { gzipSync } from 'node:zlib'
import { Pool } from 'undici'
import { expect, test } from 'vitest'
import { createGuardedHttp } from '../../src/platform/net/guarded-http.ts'
import { type Reply, startReceiver } from '../support/receiver.ts'
import { scaled } from '../support/machine-speed.ts'
import { perFile } from '../support/lifetime.ts'

const receiver = perFile(() => startReceiver())
const http = perFile(() =>
  createGuardedHttp({
    devMode: true,
    allowedPorts: [receiver.port],
    lookup: fakeLookup,
  }),
)

const fakeLookup = async (): Promise<string[]> => ['127.0.0.1']

function pools(): number {
  return queryObjects(Pool, { format: 'count' })
}

const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024))
const chunk = Buffer.alloc(64 * 1024, 'x')

const ANSWERS: readonly Reply[] = [
  () => {},
  (_, { socket }) => void socket!.write('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf'),
  (_, { socket }) => void socket!.write(`HTTP/1.1 200 OK\r\nX: ${'a'.repeat(20_000)}`),
  (_, { socket }) => void socket!.end('HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhalf'),
  { headers: { 'content-encoding': 'gzip' }, body: bomb },
  { status: 301, headers: { location: '/again' } },
  (_, response) => {
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  },
]

async function round(name: string, origins: number): Promise<void> {
  const limits = { totalMs: 1500, idleMs: 100 }
  const each = Array.from({ length: origins }, async (_, i) => {
    const url = receiver.url('/', `${name}-${i}.receiver.example`)
    const given =
      i % 2 === 0
        ? await http.post(url, { headers: {}, body: '{}', ...limits })
        : await http.get(url, { maxBytes: 64 * 1024, maxRedirects: 2, ...limits })
    return given.outcome
  })
  expect(await Promise.all(each)).toHaveLength(origins)
}

test('the pools of thousands of hostile hosts are removed when they are idle', async () => {
  receiver.respondWith((request, response) => {
    const answer = ANSWERS[Number(/-(\d+)\./.exec(request.headers.host ?? '')?.[1]) % ANSWERS.length]!
    return typeof answer === 'function' ? answer(request, response) : answer
  })
  for (let i = 0; i < 20; i += 1) await round(`hostile${i}`, 100)
  expect(receiver.requests.length).toBeGreaterThanOrEqual(2000)
  // queryObjects also counts the prototype.
  await expect.poll(pools, { timeout: scaled(30_000), interval: 500 }).toBeLessThanOrEqual(1)
  expect(receiver.openConnections).toBe(0)
})

test('the pools of thousands of well-behaved hosts are removed when they are idle', async () => {
  receiver.respondWith({ body: 'ok' })
  for (let i = 0; i < 20; i += 1) await round(`good${i}`, 100)
  expect(pools()).toBeGreaterThan(50)
  await expect.poll(pools, { timeout: scaled(30_000), interval: 500 }).toBeLessThanOrEqual(1)
  expect(receiver.openConnections).toBe(0)
})
