import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { brotliCompressSync, constants, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeAll, expect, test } from 'vitest'
import type { RequestLimits } from '../../../src/platform/net/send-request.ts'
import {
  createGuardedHttp,
  type GetRequest,
  type GuardedHttp,
  type HttpResult,
} from '../../../src/platform/net/guarded-http.ts'
import { type Reply, startReceiver } from '../../support/receiver.ts'
import { createTestCa, type TestCa } from '../../support/tls.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const HOST = 'receiver.example'
/** Short limits for requests that must time out. Other requests have enough time. */
const SHORT_LIMITS = { totalMs: scaled(300), idleMs: scaled(100) } as const
/** Additional time for a slow machine, in milliseconds. */
const SLACK = scaled(1_500)

let ca: TestCa

const fakeLookup = async (): Promise<string[]> => ['127.0.0.1']

function guarded(port: number, connectTimeoutMs = 10_000, lookup = fakeLookup): GuardedHttp {
  return createGuardedHttp({
    devMode: false,
    allowedPorts: [port],
    allowCidrs: ['127.0.0.1/32'],
    extraCa: ca.pem,
    lookup,
    connectTimeoutMs,
  })
}

beforeAll(async () => {
  ca = await createTestCa()
})
const receiver = perFile(async () => startReceiver({ tls: await ca.issue([HOST]) }))
const http = perFile(() => guarded(receiver.port))

const timers: NodeJS.Timeout[] = []

afterEach(() => {
  for (const timer of timers.splice(0)) clearInterval(timer)
})

/** Writes bytes directly to the socket. With `everyMs`, writes `again` at this interval. */
function raw(bytes: string, again = '', everyMs = 0): Reply {
  return (_, { socket }) => {
    socket!.write(bytes)
    if (everyMs > 0) timers.push(setInterval(() => socket!.write(again), everyMs))
  }
}

function post(answer: Reply, limits: RequestLimits = {}): Promise<HttpResult> {
  receiver.respondWith(answer)
  return http.post(receiver.url('/hook', HOST), { headers: {}, body: '{}', ...limits })
}

function get(answer: Reply, options: Partial<GetRequest> = {}): Promise<HttpResult> {
  receiver.respondWith(answer)
  return http.get(receiver.url('/card', HOST), { maxBytes: 64 * 1024, ...options })
}

const failed = (errorCode: string): unknown => ({
  outcome: 'failed',
  errorCode,
  redirected: expect.any(Boolean),
  receivedBytes: expect.any(Number),
  durationMs: expect.any(Number),
})

async function noConnectionLeft(): Promise<void> {
  await expect.poll(() => receiver.openConnections).toBe(0)
}

test('a host that never responds times out', async () => {
  // The handshake does not take part of the short time.
  expect(await post({})).toMatchObject({ status: 200 })
  const before = receiver.requests.length
  const result = await post(() => {}, SHORT_LIMITS)
  expect(result).toEqual(failed('timeout'))
  expect(result.durationMs).toBeLessThan(SHORT_LIMITS.totalMs + SLACK)
  expect(receiver.requests.length - before).toBe(1)
  expect(await get(() => {}, SHORT_LIMITS)).toEqual(failed('timeout'))
})

test('a host that sends its headers byte by byte times out', async () => {
  const result = await post(raw('HTTP/1.1 200 OK\r\nX-Slow: ', 'a', 40), SHORT_LIMITS)
  expect(result).toEqual(failed('timeout'))
  expect(result.durationMs).toBeLessThan(SHORT_LIMITS.totalMs + SLACK)
})

test('a body sent byte by byte is truncated for POST and times out for GET', async () => {
  const dripping = raw('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n', 'a', 40)
  const posted = await post(dripping, { idleMs: SHORT_LIMITS.idleMs })
  expect(posted).toMatchObject({ outcome: 'response', status: 200, truncated: true })
  expect(posted.durationMs).toBeLessThan(SHORT_LIMITS.idleMs + SLACK)
  const got = await get(dripping, SHORT_LIMITS)
  expect(got).toEqual(failed('timeout'))
  expect(got.durationMs).toBeLessThan(SHORT_LIMITS.totalMs + SLACK)
})

test('a body that stops is truncated for POST and times out for GET', async () => {
  const stalling = raw('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\nabc')
  expect(await post(stalling, { idleMs: SHORT_LIMITS.idleMs })).toMatchObject({
    outcome: 'response',
    body: Buffer.from('abc'),
    truncated: true,
  })
  expect(await get(stalling, SHORT_LIMITS)).toEqual(failed('timeout'))
})

/** Writes as fast as the client reads, until the connection closes. */
function flood(head: Record<string, string>, sockets: Socket[]): Reply {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  return (_, response: ServerResponse) => {
    sockets.push(response.socket!)
    response.writeHead(200, head)
    const more = (): void => {
      while (!response.destroyed && response.write(chunk));
    }
    response.on('drain', more)
    more()
  }
}

test('an endless body is truncated for POST and too large for GET', async () => {
  const sockets: Socket[] = []
  const posted = await post(flood({ 'content-type': 'text/plain' }, sockets))
  expect(posted).toMatchObject({ outcome: 'response', status: 200, truncated: true })
  expect(posted).toHaveProperty('body.length', 4_000)
  expect(await get(flood({}, sockets))).toEqual(failed('too_large'))
  expect(await get(flood({ 'content-length': '1000000000' }, sockets))).toEqual(failed('too_large'))
  await noConnectionLeft()
  for (const { bytesWritten } of sockets) expect(bytesWritten).toBeLessThan(16 * 1024 * 1024)
})

test('a compression bomb is not decoded for POST and too large for GET', async () => {
  const zeros = Buffer.alloc(16 * 1024 * 1024)
  const quick = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
  const bombs = { gzip: gzipSync(zeros), br: brotliCompressSync(zeros, quick), deflate: deflateSync(zeros) }
  for (const [encoding, body] of Object.entries(bombs)) {
    const answer = { headers: { 'content-encoding': encoding, 'content-type': 'text/plain' }, body }
    const posted = await post(answer)
    expect(posted).toMatchObject({ outcome: 'response', status: 200 })
    expect(posted).toHaveProperty('body', body.subarray(0, 4_000))
    expect([encoding, await get(answer, { maxBytes: 256 * 1024 })]).toEqual([encoding, failed('too_large')])
  }
})

test('a body that is compressed without being asked is decoded', async () => {
  const answer = (encoding: string, body: Buffer): Reply => ({
    headers: { 'content-encoding': encoding },
    body,
  })
  const text = Buffer.from('{"name":"card"}')
  for (const [encoding, body] of [
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
    ['deflate', deflateSync(text)],
    ['identity', text],
  ] as const) {
    expect(await get(answer(encoding, body))).toMatchObject({ outcome: 'response', body: text })
  }
  expect(receiver.requests.at(-1)?.headers['accept-encoding']).toBe('identity')
  for (const [encoding, body] of [
    ['gzip', text],
    ['gzip', gzipSync(text).subarray(0, 12)],
    ['gzip, gzip', gzipSync(gzipSync(text))],
    ['zstd', text],
    ['__proto__', text],
  ] as const) {
    expect([encoding, await get(answer(encoding, body))]).toEqual([encoding, failed('bad_encoding')])
  }
})

test('endless redirects fail for GET and are not followed for POST', async () => {
  const loop = { status: 301, headers: { location: '/card' } }
  const before = receiver.requests.length
  expect(await get(loop, { maxRedirects: 5 })).toEqual(failed('bad_redirect'))
  expect(receiver.requests.length - before).toBe(6)
  expect(await post(loop)).toMatchObject({ outcome: 'response', status: 301 })
  expect(receiver.requests.length - before).toBe(7)
})

test('too large headers are refused', async () => {
  const huge = (text: string): Promise<HttpResult> => post(raw(`HTTP/1.1 200 OK\r\n${text}`, text, 1))
  expect(await huge(`X-Huge: ${'a'.repeat(20_000)}\r\n\r\n`)).toEqual(failed('header_overflow'))
  expect(await huge('X-Many: a\r\n'.repeat(300))).toEqual(failed('header_overflow'))
  expect(await post({ headers: { 'x-large': 'a'.repeat(12_000) } })).toMatchObject({ status: 200 })
})

test('endless chunk extensions and trailers time out', async () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  for (const again of ['a'.repeat(4000), 'X: y\r\n'.repeat(500)]) {
    const start = again.startsWith('a') ? '5;' : '5\r\nabcde\r\n0\r\n'
    const got = await get(raw(chunked + start, again, 1), SHORT_LIMITS)
    expect(got).toMatchObject({ outcome: 'failed' })
    expect(got.durationMs).toBeLessThan(SHORT_LIMITS.totalMs + SLACK)
    expect(await post(raw(chunked + start, again, 1), { idleMs: SHORT_LIMITS.idleMs })).toMatchObject({
      outcome: 'response',
      status: 200,
    })
  }
})

test('a connection that closes early is a reset, or truncates the body of a POST', async () => {
  const closing =
    (bytes: string): Reply =>
    (_, { socket }) =>
      void socket!.end(bytes)
  expect(await post(closing(''))).toEqual(failed('reset'))
  expect(await post(closing('HTTP/1.1 200 OK\r\nX-Half'))).toEqual(failed('reset'))
  const half = closing('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf')
  expect(await post(half)).toMatchObject({ outcome: 'response', body: Buffer.from('half'), truncated: true })
  expect(await get(half)).toEqual(failed('reset'))
})

test('invalid HTTP is a protocol error', async () => {
  expect(await post(raw('SSH-2.0-OpenSSH_9.9\r\n'))).toEqual(failed('protocol_error'))
  expect(await post(raw('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n'))).toEqual(
    failed('protocol_error'),
  )
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n'
  expect(await post(raw(upgrade))).toEqual(failed('reset'))
})

test('no connection of the tests above stays open', noConnectionLeft, 20_000)

async function withTls(
  tls: Parameters<typeof startReceiver>[0] & object,
  host = HOST,
): Promise<{ results: HttpResult[]; requests: number }> {
  const bad = await startReceiver(tls)
  const client = guarded(bad.port)
  const call = (): Promise<HttpResult> => client.post(bad.url('/', host), { headers: {}, body: 'x' })
  // Two calls, because a failed connection must not be reused.
  const results = [await call(), await call()]
  await client.close()
  await bad.close()
  return { results, requests: bad.requests.length }
}

const day = (offset: number): Date => new Date(Date.now() + offset * 86_400_000)

test.for([
  ['an unknown authority', async () => (await createTestCa()).issue([HOST])],
  ['another host name', () => ca.issue(['other.example'])],
  ['no host name', () => ca.issue([])],
  ['dates in the past', () => ca.issue([HOST], { notBefore: day(-2), notAfter: day(-1) })],
  ['dates in the future', () => ca.issue([HOST], { notBefore: day(1), notAfter: day(2) })],
] as const)('a certificate with %s is refused', async ([, certificate]) => {
  for (const maxVersion of ['TLSv1.3', 'TLSv1.2'] as const) {
    const { results, requests } = await withTls({ tls: { ...(await certificate()), maxVersion } })
    expect(results).toEqual([failed('tls_error'), failed('tls_error')])
    expect(requests).toBe(0)
  }
})

test.for([
  ['TLSv1', 'tls_error', 0],
  ['TLSv1.1', 'tls_error', 0],
  ['TLSv1.2', 200, 2],
  ['TLSv1.3', 200, 2],
] as const)('only TLS 1.2 and newer are accepted: %s', async ([version, expected, arrived]) => {
  const own = await ca.issue([HOST])
  const tls = { ...own, minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' }
  const { results, requests } = await withTls({ tls })
  const outcomes = results.map((each) => (each.outcome === 'failed' ? each.errorCode : each.status))
  expect(outcomes).toEqual([expected, expected])
  expect(requests).toBe(arrived)
})

test('environment variables cannot turn off TLS verification or set a proxy', async () => {
  const set = {
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    HTTPS_PROXY: 'http://127.0.0.1:9',
    https_proxy: 'http://127.0.0.1:9',
    NODE_USE_ENV_PROXY: '1',
  }
  const before = Object.keys(set).map((name) => [name, process.env[name]] as const)
  Object.assign(process.env, set)
  try {
    const { results } = await withTls({ tls: await ca.issue(['other.example']) })
    expect(results[0]).toEqual(failed('tls_error'))
    const good = await withTls({ tls: await ca.issue([HOST]) })
    expect(good.results[0]).toMatchObject({ status: 200 })
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    }
  }
})

async function tcp(
  onSocket: (socket: Socket) => void,
): Promise<{ server: Server; url: string; port: number }> {
  const server = createServer((socket) => onSocket(socket.on('error', () => undefined)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port, url: `https://${HOST}:${port}/` }
}

test.for([
  ['that is silent in the handshake', () => undefined, 'timeout', 300],
  [
    'that speaks plain HTTP instead of TLS',
    (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
    'tls_error',
    10_000,
  ],
  ['that closes in the handshake', (socket: Socket) => socket.destroy(), 'reset', 10_000],
] as const)('a host %s is an error', async ([, onSocket, code, connectTimeoutMs]) => {
  const sockets: Socket[] = []
  const { server, port, url } = await tcp((socket) => {
    sockets.push(socket)
    onSocket(socket)
  })
  const client = guarded(port, connectTimeoutMs)
  const result = await client.post(url, { headers: {}, body: 'x' })
  expect(result).toEqual(failed(code))
  expect(result.durationMs).toBeLessThan(300 + SLACK)
  await client.close()
  for (const socket of sockets) socket.destroy()
  server.close()
})

test('a closed port is a connect error', async () => {
  const { server, port, url } = await tcp(() => undefined)
  server.close()
  await once(server, 'close')
  const client = guarded(port)
  expect(await client.get(url, { maxBytes: 10 })).toEqual(failed('connect_error'))
  await client.close()
})

test('a request is aborted by its signal and by closing the client', async () => {
  const client = guarded(receiver.port)
  const stop = new AbortController()
  const call = (path: string): Promise<HttpResult> =>
    client.post(receiver.url(path, HOST), { headers: {}, body: 'x' })
  const get = (path: string): Promise<HttpResult> =>
    client.get(receiver.url(path, HOST), { maxBytes: 10, signal: stop.signal })
  const before = receiver.requests.length
  receiver.respondWith(() => {})
  const first = get('/first')
  const second = call('/second')
  await receiver.received(before + 2)
  stop.abort()
  expect(await first).toEqual(failed('aborted'))
  await client.close()
  expect(await second).toEqual(failed('aborted'))
  expect(await call('/third')).toEqual(failed('aborted'))
  expect(await get('/fourth')).toEqual(failed('aborted'))
})

test('a request that ended while it waited for a connection is never sent', async () => {
  const resolved = Promise.withResolvers<string[]>()
  const client = guarded(receiver.port, 10_000, () => resolved.promise)
  const before = receiver.requests.length
  receiver.respondWith(() => ({ body: 'ok' }))
  const call = (path: string, totalMs: number): Promise<HttpResult> =>
    client.post(receiver.url(path, HOST), { headers: {}, body: 'x', totalMs })
  expect(await call('/late', 100)).toEqual(failed('timeout'))
  const others = Array.from({ length: 3 }, () => call('/in-time', 10_000))
  resolved.resolve(['127.0.0.1'])
  await Promise.all(others)
  expect(await call('/in-time', 10_000)).toMatchObject({ outcome: 'response', status: 200 })
  expect(receiver.requests.slice(before).map(({ path }) => path)).toEqual(Array(4).fill('/in-time'))
  await client.close()
})

test('hanging requests do not block other requests to the same host', async () => {
  const client = guarded(receiver.port)
  const before = receiver.requests.length
  receiver.respondWith((request) => (request.path === '/hangs' ? undefined : { body: 'ok' }))
  const call = (path: string): Promise<HttpResult> =>
    client.post(receiver.url(path, HOST), { headers: {}, body: 'x' })
  const hanging = Array.from({ length: 12 }, () => call('/hangs'))
  await receiver.received(before + 12)
  expect(await call('/fine')).toMatchObject({ outcome: 'response', status: 200 })
  await client.close()
  expect(await Promise.all(hanging)).toEqual(hanging.map(() => failed('aborted')))
})
