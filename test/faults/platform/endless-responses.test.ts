import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createGuardedHttp, type GuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { leastProcessorMs } from '../../support/process-use.ts'
import { scaled } from '../../support/machine-speed.ts'
import { type Receiver, type Reply, startReceiver } from '../../support/receiver.ts'
import { createTestCa, type TestCa, type TestCertificate } from '../../support/tls.ts'
import { createKeyUpdates, createTicketFlood, TICKET } from './tls-messages.ts'

const HOST = 'receiver.example'
const MAX_BYTES = 65_536
/** What a POST keeps of a body. */
const MAX_CAPTURED = 4_000
/** Headers, and what a socket reads ahead. Chunks and TLS may double the body. */
const OTHER_BYTES = 131_072
/** Of TLS, beside the data. */
const TLS_BYTES = 65_536
/** One read of a socket, after which it is cut. */
const READ_BYTES = 65_536

let ca: TestCa
let certificate: TestCertificate
let http: GuardedHttp
let receivers: Readonly<Record<'plain' | 'TLS', Receiver>>
const sockets = new Set<Socket>()
let tickets = 0
const onSend = (message: unknown): void => {
  const { socket } = message as { socket: Socket }
  sockets.add(socket.on('session', () => (tickets += 1)))
}

beforeAll(async () => {
  ca = await createTestCa()
  certificate = await ca.issue([HOST])
  receivers = { plain: await startReceiver(), TLS: await startReceiver({ tls: certificate }) }
  subscribe('undici:client:sendHeaders', onSend)
})
beforeEach(() => {
  http = client(receivers.plain.port, receivers.TLS.port)
  sockets.clear()
  tickets = 0
})
afterEach(() => http.close())
afterAll(async () => {
  unsubscribe('undici:client:sendHeaders', onSend)
  await receivers.plain.close()
  await receivers.TLS.close()
})

function client(...allowedPorts: number[]): GuardedHttp {
  const lookup = async (): Promise<string[]> => ['127.0.0.1']
  return createGuardedHttp({ devMode: true, allowedPorts, extraCa: ca.pem, lookup })
}

/** Writes `again` as fast as the client reads, until the connection closes. */
function floodSocket(socket: Socket, start: string, again: string | Buffer): void {
  const chunk = Buffer.alloc(65_536 - (65_536 % again.length), again)
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  }
  socket.on('drain', more).write(start)
  more()
}

const flood =
  (start: string, again: string): Reply =>
  (_, { socket }) =>
    floodSocket(socket!, start, again)

const CHUNKED = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
/** Almost the limit of headers, so that many more arrive in the read that exceeds it. */
const LONG = `X: ${'a'.repeat(16_200)}\r\n`
/** A response that has begun counts for a POST. */
const BEGUN = 200

describe.each(['plain', 'TLS'] as const)('%s', (kind) => {
  test.each([
    ['early hints', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n', 'protocol_error', 'protocol_error'],
    ['empty lines', '', '\r\n', 'too_large', 'too_large'],
    ['characters of a reason', 'HTTP/1.1 200 ', 'a', 'too_large', 'too_large'],
    ['spaces in a header', 'HTTP/1.1 200 OK\r\nX:', ' ', 'too_large', 'too_large'],
    ['headers of one letter', `HTTP/1.1 200 OK\r\n${LONG}`, 'a:\r\n', 'header_overflow', 'header_overflow'],
    ['characters of a chunk extension', `${CHUNKED}5;`, 'a', 'too_large', BEGUN],
    ['chunk extensions', `${CHUNKED}5;`, 'a=b;', 'too_large', BEGUN],
    ['zeros before a chunk size', CHUNKED, '0', 'too_large', BEGUN],
    ['chunks of one byte', CHUNKED, '1\r\na\r\n', 'too_large', BEGUN],
    ['trailers', `${CHUNKED}0\r\n`, 'X: y\r\n', 'header_overflow', BEGUN],
    ['trailers of one letter', `${CHUNKED}0\r\n${LONG}`, 'a:\r\n', 'header_overflow', BEGUN],
  ] as const)('endless %s are cut', async (_, start, again, forGet, forPost) => {
    receivers[kind].respondWith(flood(start, again))
    const url = receivers[kind].url('/', HOST)
    const limit = scaled(100)
    const spent = await leastProcessorMs(limit, async () => {
      sockets.clear()
      const got = await http.get(url, { maxBytes: MAX_BYTES })
      expect(got).toMatchObject({ outcome: 'failed', errorCode: forGet })
      const posted = await http.post(url, { headers: {}, body: '{}' })
      const expected =
        forPost === BEGUN
          ? { outcome: 'response', status: 200, truncated: true }
          : { outcome: 'failed', errorCode: forPost }
      expect(posted).toMatchObject(expected)
    })
    expect(spent).toBeLessThan(limit)
    const received = [...sockets].map(({ bytesRead }) => bytesRead)
    expect(received).toHaveLength(2)
    expect(received[0]).toBeLessThan(2 * MAX_BYTES + OTHER_BYTES + READ_BYTES)
    expect(received[1]).toBeLessThan(2 * MAX_CAPTURED + OTHER_BYTES + READ_BYTES)
    await expect.poll(() => receivers[kind].openConnections).toBe(0)
  })

  test('a body of the allowed size with chunks, trailers, large headers and five early hints is read', async () => {
    const body = Buffer.alloc(MAX_BYTES, 'x')
    const url = receivers[kind].url('/', HOST)
    receivers[kind].respondWith((_, response) => {
      for (let i = 0; i < 5; i += 1) response.writeEarlyHints({ link: `<${'a'.repeat(10_000)}>` })
      response.writeHead(200, { 'x-large': 'a'.repeat(12_000), trailer: 'x-last' })
      for (let i = 0; i < MAX_BYTES; i += 64) response.write(body.subarray(i, i + 64))
      response.addTrailers({ 'x-last': 'y' })
      response.end()
    })
    // Each request has a limit of its own.
    for (let i = 0; i < 5; i += 1) {
      expect(await http.get(url, { maxBytes: MAX_BYTES })).toMatchObject({
        outcome: 'response',
        status: 200,
        body,
      })
    }
    const most = Math.max(...[...sockets].map(({ bytesRead }) => bytesRead))
    expect(most).toBeGreaterThan(2 * MAX_BYTES + OTHER_BYTES)
    expect(await http.post(url, { headers: {}, body: '{}' })).toMatchObject({
      outcome: 'response',
      status: 200,
      body: body.subarray(0, MAX_CAPTURED),
      truncated: true,
    })
  })

  test('bytes after a response are cut while the connection is idle', async () => {
    const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'
    receivers[kind].respondWith(flood(ok, '\r\n'))
    const result = await http.post(receivers[kind].url('/', HOST), { headers: {}, body: '{}' })
    expect(result).toMatchObject({ outcome: 'response', status: 200 })
    await expect.poll(() => receivers[kind].openConnections).toBe(0)
    expect([...sockets][0]!.bytesRead).toBeLessThan(2 * MAX_CAPTURED + OTHER_BYTES + READ_BYTES)
  })
})

type Flood = (tls: TLSSocket, socket: Socket) => () => void

/** Floods after the handshake, at the first bytes of the request. */
const afterHandshake =
  (create: Flood) =>
  (socket: Socket, certificate: TestCertificate): void => {
    const secureContext = createSecureContext({ ...certificate, ciphers: 'TLS_AES_128_GCM_SHA256' })
    const tls = new TLSSocket(socket, { isServer: true, secureContext })
    tls.on('error', () => {}).once('data', create(tls, socket))
  }
/** Handshake messages that OpenSSL ignores. */
const HELLO_REQUESTS = Buffer.concat([Buffer.from([22, 3, 3, 64, 0]), Buffer.alloc(16_384)])

test.for([
  ['session tickets', 'too_large', afterHandshake(createTicketFlood)],
  ['new keys', 'too_large', afterHandshake((tls, socket) => createKeyUpdates(tls, socket, 3_000))],
  [
    'bytes that are no record',
    'too_large',
    afterHandshake((_, socket) => () => floodSocket(socket, '', 'a')),
  ],
  [
    'handshakes',
    'tls_error',
    (socket: Socket) => socket.once('data', () => floodSocket(socket, '', HELLO_REQUESTS)),
  ],
] as const)('endless %s below the data of TLS are cut', async ([, errorCode, start]) => {
  let written = 0
  const server = createServer((socket) => {
    start(socket, certificate)
    socket.on('error', () => {}).on('close', () => (written = socket.bytesWritten))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const own = client(port)
  const limit = scaled(600)
  const spent = await leastProcessorMs(limit, async () => {
    tickets = 0
    const result = await own.get(`https://${HOST}:${port}/`, { maxBytes: 1_048_576, totalMs: scaled(15_000) })
    expect(result).toMatchObject({ outcome: 'failed', errorCode })
    await expect.poll(() => written).toBeGreaterThan(0)
  })
  // Without a limit, session tickets take 1.7 s. Of the others, the outcome would be a timeout.
  expect(spent).toBeLessThan(limit)
  for (const { bytesRead } of sockets) expect(bytesRead).toBe(0)
  expect(tickets).toBeLessThan((TLS_BYTES + READ_BYTES) / TICKET.length)
  await own.close()
  server.close()
})

test('a server of TLS 1.2 that asks for another handshake gets none', async () => {
  let handshakes = 0
  const server = createServer((socket) => {
    const secureContext = createSecureContext({ ...certificate, maxVersion: 'TLSv1.2' })
    const tls = new TLSSocket(socket, { isServer: true, secureContext })
    tls.on('error', () => {}).once('data', () => tls.renegotiate({}, () => {}))
    tls.on('secure', () => (handshakes += 1))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const own = client(port)
  const result = await own.post(`https://${HOST}:${port}/`, {
    headers: {},
    body: '{}',
    totalMs: scaled(3_000),
  })
  expect(result).toMatchObject({ outcome: 'failed', errorCode: 'timeout' })
  expect(handshakes).toBe(1)
  await own.close()
  server.close()
})
