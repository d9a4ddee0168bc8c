import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { newSecret } from '../../../src/webhooks/secret-box.ts'
import { verifyWebhook } from '../../../examples/verify-webhook.ts'
import { signDelivery, signStandard } from '../../../src/webhooks/send.ts'
import { codeBlockOf, readGuide } from '../../support/guide.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const timestamp = NOW / 1000
const body = '{"id":"evt_1","type":"agent.closed","data":{"name":"ä"}}'
beforeAll(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOW }))
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllEnvs()
})

const headersOf = (secret: string, changes: object = {}): Record<string, string> => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signStandard({ secret, timestamp, body, id: 'evt_1' }),
  ...changes,
})

test('the library verifies the signature of every new secret, and the contract’s form has the same secret', () => {
  for (let i = 0; i < 200; i += 1) {
    const secret = newSecret()
    expect(secret).toMatch(/^whsec_[A-Za-z0-9]{44}$/)
    const headers = headersOf(secret, {
      'x-service-timestamp': String(timestamp),
      'x-service-signature': signDelivery({ secret, timestamp, body }),
    })
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body))
    expect(verifyWebhook(body, headers, secret, { now: NOW })).toEqual(JSON.parse(body))
  }
})

test('the signature equals that of the library', () => {
  const secret = newSecret()
  expect(headersOf(secret)['webhook-signature']).toBe(new Webhook(secret).sign('evt_1', new Date(NOW), body))
})

test('a secret of an older version is accepted after its two characters are replaced', () => {
  for (let i = 0; i < 50; i += 1) {
    const secret = `whsec_${randomBytes(32).toString('base64url')}`
    const replaced = `${secret.replace('whsec_', '').replaceAll('-', '+').replaceAll('_', '/')}=`
    expect(new Webhook(replaced).verify(body, headersOf(secret))).toEqual(JSON.parse(body))
  }
})

test('the example of the guide returns the event of a signed request and refuses others', async () => {
  const secret = newSecret()
  vi.stubEnv('WEBHOOK_SECRET', secret)
  const folder = temporaryFolder('standard-webhooks-')
  const library = import.meta.resolve('standardwebhooks')
  const file = join(folder, 'read-event.ts')
  const code = codeBlockOf(readGuide('receive-webhooks'), 'ts')
  writeFileSync(file, code.replace("'standardwebhooks'", `'${fileURLToPath(library)}'`))
  const { readEvent } = (await import(pathToFileURL(file).href)) as {
    readEvent: (rawBody: string, headers: Record<string, string>) => unknown
  }
  expect(readEvent(body, headersOf(secret))).toEqual(JSON.parse(body))
  expect(() => readEvent(`${body} `, headersOf(secret))).toThrow('No matching signature')
})
