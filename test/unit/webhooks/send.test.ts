import { createHmac } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type AttemptResult, createSender, type Send } from '../../../src/webhooks/send.ts'
import { verifyWebhook } from '../../../examples/verify-webhook.ts'
import { useGuardedReceiver } from '../../support/guarded-receiver.ts'
import type { Reply, Receiver } from '../../support/receiver.ts'

const HOST = 'receiver.example'
const NOW = Date.UTC(2026, 10, 21, 12)
const SECRET = 'whsec_c2VjcmV0'
const BODY = '{"id":"evt_1","type":"agent.closed",  "slot":18446744073709551615,"data":{"name":"ä"}}'

const guarded = useGuardedReceiver(HOST)
let receiver: Receiver
let send: Send
beforeAll(() => {
  receiver = guarded.receiver
  send = createSender({ http: guarded.http, clock: { now: () => NOW }, idleMs: 150 })
})

function attempt(reply: Reply, url = receiver.url('/hook?x=1', HOST)): Promise<AttemptResult> {
  receiver.respondWith(reply)
  return send({
    url,
    secrets: [SECRET],
    eventId: 'evt_1',
    eventType: 'agent.closed',
    body: BODY,
    deliveryId: 'd-1',
    attempt: 3,
    deadlineMs: 15_000,
  })
}

test('sends the stored bytes with the headers of this attempt', async () => {
  const result = await attempt({})
  expect(result).toMatchObject({ outcome: 'success', status: 200 })
  const request = receiver.requests.at(-1)!
  expect(request.body.toString()).toBe(BODY)
  expect(request.path).toBe('/hook?x=1')
  expect(request.headers).toMatchObject({
    host: `${HOST}:${receiver.port}`,
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(BODY)),
    'user-agent': 'agent-registry-gateway',
    'x-service-event': 'agent.closed',
    'x-service-timestamp': String(NOW / 1000),
    'x-service-signature': createHmac('sha256', SECRET)
      .update(`${NOW / 1000}.${BODY}`)
      .digest('hex'),
    'x-service-delivery': 'd-1',
    'x-service-attempt': '3',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(NOW / 1000),
  })
  expect(request.rawHeaders).toEqual(
    expect.arrayContaining(['X-Service-Signature', 'X-Service-Timestamp', 'X-Service-Event']),
  )
  expect(verifyWebhook(request.body, request.headers, SECRET, { now: NOW })).toMatchObject({ id: 'evt_1' })
})

test.for([
  [200, 'success'],
  [204, 'success'],
  [299, 'success'],
  [301, 'failure'],
  [307, 'failure'],
  [400, 'failure'],
  [404, 'failure'],
  [410, 'gone'],
  [429, 'failure'],
  [500, 'failure'],
] as const)('status %i is a %s', async ([status, outcome]) => {
  const before = receiver.requests.length
  const location = receiver.url('/elsewhere', HOST)
  expect(await attempt({ status, headers: { location } })).toMatchObject({ outcome, status })
  expect(receiver.requests.length - before).toBe(1)
})

test.for([
  ['7', 7_000],
  ['0', 1_000],
  ['86400', 3_600_000],
  ['9'.repeat(400), 3_600_000],
  ['Sat, 21 Nov 2026 12:01:30 GMT', 90_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 1_000],
  ['Sat, 21 Nov 2099 11:00:00 GMT', 3_600_000],
  ['soon', undefined],
  ['-5', undefined],
  ['1e3', undefined],
  ['2026', 2_026_000],
] as const)('reads Retry-After: %s', async ([value, expected]) => {
  for (const status of [429, 503]) {
    const result = await attempt({ status, headers: { 'retry-after': value } })
    expect(result.retryAfterMs).toBe(expected)
  }
  const other = await attempt({ status: 500, headers: { 'retry-after': value } })
  expect(other.retryAfterMs).toBeUndefined()
})

test('stores an excerpt of text responses only', async () => {
  const excerpt = async (type: string | null, body: string | Buffer, encoding?: string): Promise<unknown> => {
    const headers = {
      ...(type === null ? {} : { 'content-type': type }),
      ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    }
    return (await attempt({ headers, body })).excerpt
  }
  expect(await excerpt('text/plain; charset=utf-8', 'fine ä')).toBe('fine ä')
  expect(await excerpt('Application/JSON', '{"ok":true}')).toBe('{"ok":true}')
  expect(await excerpt('application/problem+json', '{}')).toBe('{}')
  expect(await excerpt('text/html', 'a\0b')).toBe('ab')
  expect(await excerpt('text/plain', Buffer.from([0x61, 0xff, 0x62]))).toBe('a\u{fffd}b')
  expect(await excerpt('text/plain', '')).toBeUndefined()
  expect(await excerpt('image/png', 'secret')).toBeUndefined()
  expect(await excerpt('application/octet-stream', 'secret')).toBeUndefined()
  expect(await excerpt('application/jsonp', 'secret')).toBeUndefined()
  expect(await excerpt(null, 'secret')).toBeUndefined()
  expect(await excerpt('text/plain', 'secret', 'gzip')).toBeUndefined()
})

test('stores at most 1,000 characters and cuts at a whole character', async () => {
  const excerpt = async (body: string) =>
    (await attempt({ headers: { 'content-type': 'text/plain' }, body })).excerpt
  expect(await excerpt(`x${'ä'.repeat(100_000)}`)).toBe(`x${'ä'.repeat(999)}`)
  expect(await excerpt('😀'.repeat(100_000))).toBe('😀'.repeat(1_000))
  expect(await excerpt(`x${'😀'.repeat(100_000)}`)).toBe(`x${'😀'.repeat(999)}`)
})

test('a 2xx response is a success even if its body never ends', async () => {
  const result = await attempt((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' }).write('begun')
  })
  expect(result).toMatchObject({ outcome: 'success', status: 200, excerpt: 'begun' })
})

test('a private address is refused, and the result does not describe it', async () => {
  const before = receiver.connections
  const result = await attempt({ body: 'secret' }, 'https://169.254.169.254/latest/meta-data')
  const signatures = expect.stringMatching(/^\d+ [0-9a-f]{64} v1,[\w+/]{43}=$/)
  expect(result).toEqual({
    outcome: 'failure',
    errorCode: 'ssrf_blocked',
    durationMs: expect.any(Number),
    signatures,
  })
  expect(receiver.connections).toBe(before)
})
