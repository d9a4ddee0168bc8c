import { createHmac } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { verifyWebhook } from '../src/webhooks/verify-webhook.ts'

const SECRET = `whsec_${Buffer.alloc(33, 7).toString('base64')}`
/** Of an older gateway: base64url without padding. */
const OLD_SECRET = `whsec_${Buffer.alloc(32, 251).toString('base64url')}`
const NOW = Date.parse('2026-11-21T06:29:22Z')
const BODY = '{"id":"evt_1","type":"agent.closed","data":{"name":"ü"}}'
const seconds = String(NOW / 1000)

const service = (secret: string, timestamp = seconds, body = BODY) => ({
  'X-Service-Timestamp': timestamp,
  'X-Service-Signature': createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex'),
})
const standard = (secret: string) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': seconds,
  'webhook-signature': new Webhook(secret).sign('evt_1', new Date(NOW), BODY),
})
const at = { now: NOW }

test('a request with the headers of the gateway, or of Standard Webhooks, is verified', async () => {
  const event = { id: 'evt_1', type: 'agent.closed', data: { name: 'ü' } }
  expect(await verifyWebhook(BODY, service(SECRET), SECRET, at)).toEqual(event)
  expect(await verifyWebhook(Buffer.from(BODY), new Headers(service(SECRET)), SECRET, at)).toEqual(event)
  expect(await verifyWebhook(BODY, standard(SECRET), SECRET, at)).toEqual(event)
  expect(await verifyWebhook(BODY, service(SECRET), [OLD_SECRET, SECRET], at)).toEqual(event)
})

test('a rotated signature and a secret of an older gateway are verified', async () => {
  const { 'webhook-signature': signature, ...headers } = standard(SECRET)
  const several = { ...headers, 'webhook-signature': `v1,${'A'.repeat(43)}= ${signature} v2,x` }
  expect(await verifyWebhook(BODY, several, SECRET, at)).toMatchObject({ id: 'evt_1' })
  const base64 = OLD_SECRET.replaceAll('-', '+').replaceAll('_', '/').replace('whsec/', 'whsec_')
  expect(await verifyWebhook(BODY, standard(`${base64}=`), OLD_SECRET, at)).toMatchObject({ id: 'evt_1' })
})

test('amounts are exact, and texts that look like numbers stay texts', async () => {
  const body =
    '{"type":"agent.updated","data":{"amount":18446744073709551615,"name":{"old":"1","new":"99999999999999999"}}}'
  expect(await verifyWebhook(body, service(SECRET, seconds, body), SECRET, at)).toEqual({
    type: 'agent.updated',
    data: { amount: 18446744073709551615n, name: { old: '1', new: '99999999999999999' } },
  })
})

test.each<[string, () => Promise<unknown>, string]>([
  ['another body', () => verifyWebhook(`${BODY} `, service(SECRET), SECRET, at), 'wrong_signature'],
  ['another secret', () => verifyWebhook(BODY, service(SECRET), OLD_SECRET, at), 'wrong_signature'],
  ['another standard secret', () => verifyWebhook(BODY, standard(SECRET), OLD_SECRET, at), 'wrong_signature'],
  [
    'only other versions',
    () => verifyWebhook(BODY, { ...standard(SECRET), 'webhook-signature': 'v2,AAAA' }, SECRET, at),
    'wrong_signature',
  ],
  [
    'another id',
    () => verifyWebhook(BODY, { ...standard(SECRET), 'webhook-id': 'evt_2' }, SECRET, at),
    'wrong_signature',
  ],
  ['no headers', () => verifyWebhook(BODY, {}, SECRET, at), 'missing_header'],
  [
    'a short signature',
    () => verifyWebhook(BODY, { ...service(SECRET), 'X-Service-Signature': 'ab' }, SECRET, at),
    'malformed_header',
  ],
  [
    'a repeated header',
    () => verifyWebhook(BODY, { ...service(SECRET), 'X-Service-Signature': ['a', 'b'] }, SECRET, at),
    'malformed_header',
  ],
  ['an old request', () => verifyWebhook(BODY, service(SECRET), SECRET, { now: NOW + 301_000 }), 'too_old'],
  [
    'a request of the future',
    () => verifyWebhook(BODY, service(SECRET), SECRET, { now: NOW - 301_000 }),
    'too_new',
  ],
  ['text', () => verifyWebhook('x', service(SECRET, seconds, 'x'), SECRET, at), 'not_json'],
])('%s is refused', async (_, verify, code) => {
  await expect(verify()).rejects.toMatchObject({ name: 'WebhookVerificationError', code })
})
