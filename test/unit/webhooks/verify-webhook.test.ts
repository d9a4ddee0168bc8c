import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { copyFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from '../../support/property.ts'
import { afterAll, describe, expect, test } from 'vitest'
import { verifyWebhook, WebhookVerificationError } from '../../../examples/verify-webhook.ts'
import { codeBlockOf, readGuide } from '../../support/guide.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { signDelivery, type SignedDelivery } from '../../../src/webhooks/send.ts'

const SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8'
const BODY =
  '{"id":"evt_1","type":"agent.closed","pda":"p","slot":7,"timestamp":"2026-11-21T06:29:22.000Z","data":{"é":1}}'
const AT = 1_795_242_562
const headersOf = (delivery: SignedDelivery): Record<string, string> => ({
  'x-service-signature': signDelivery(delivery),
  'x-service-timestamp': String(delivery.timestamp),
  'x-service-event': 'agent.closed',
})
const headers = headersOf({ secret: SECRET, timestamp: AT, body: BODY })
const now = AT * 1000

const codeOf = (verify: () => unknown): string => {
  try {
    verify()
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code
    throw error
  }
  return 'accepted'
}

test('the signature equals that of `openssl dgst -sha256 -hmac SECRET`', () => {
  expect(headers).toEqual({
    'x-service-signature': '03d314a6cb96f1990525ef1b69fcba174753930a894af2a2f793668cc9020bd0',
    'x-service-timestamp': String(AT),
    'x-service-event': 'agent.closed',
  })
})

test('text and bytes have the same signature', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (body) => {
      const timestamp = AT
      const own = createHmac('sha256', Buffer.from(SECRET))
        .update(Buffer.from(`${AT}.${body}`))
        .digest('hex')
      expect(signDelivery({ secret: SECRET, timestamp, body })).toBe(own)
      expect(signDelivery({ secret: SECRET, timestamp, body: Buffer.from(body) })).toBe(own)
    }),
  )
})

describe('verifyWebhook', () => {
  test('returns the event for all forms of headers and body', () => {
    const event = JSON.parse(BODY) as unknown
    expect(verifyWebhook(BODY, headers, SECRET, { now })).toEqual(event)
    expect(verifyWebhook(Buffer.from(BODY), new Headers(headers), SECRET, { now })).toEqual(event)
    const spelled = {
      'X-Service-Signature': headers['x-service-signature'],
      'X-Service-Timestamp': String(AT),
    }
    expect(verifyWebhook(BODY, spelled, ['whsec_other', SECRET], { now })).toEqual(event)
  })

  type Changes = { body?: string; headers?: Record<string, string | undefined>; secrets?: string | string[] }
  test.each<[string, Changes, string]>([
    ['a modified body', { body: `${BODY} ` }, 'wrong_signature'],
    ['another secret', { secrets: 'whsec_other' }, 'wrong_signature'],
    ['no secret', { secrets: [] }, 'wrong_signature'],
    ['another timestamp', { headers: { 'x-service-timestamp': String(AT + 1) } }, 'wrong_signature'],
    ['no signature', { headers: { 'x-service-signature': undefined } }, 'missing_header'],
    ['no timestamp', { headers: { 'x-service-timestamp': undefined } }, 'missing_header'],
    ['a short signature', { headers: { 'x-service-signature': 'ab' } }, 'malformed_header'],
    ['a timestamp that is not a number', { headers: { 'x-service-timestamp': 'now' } }, 'malformed_header'],
  ])('%s has the expected code', (_, { body = BODY, headers: changed, secrets = SECRET }, code) => {
    expect(codeOf(() => verifyWebhook(body, { ...headers, ...changed }, secrets, { now }))).toBe(code)
  })

  test.each([
    ['300 s old', { now: now + 300_000 }, 'accepted'],
    ['older than 300 s', { now: now + 300_001 }, 'too_old'],
    ['older than toleranceSeconds', { now: now + 11_000, toleranceSeconds: 10 }, 'too_old'],
    ['300 s ahead', { now: now - 300_000 }, 'accepted'],
    ['more than 300 s ahead', { now: now - 300_001 }, 'too_new'],
  ])('a request %s has the expected code', (_, options, code) => {
    expect(codeOf(() => verifyWebhook(BODY, headers, SECRET, options))).toBe(code)
  })

  test('a signed body that is not JSON has a code of its own', () => {
    const signed = headersOf({ secret: SECRET, timestamp: AT, body: 'x' })
    expect(codeOf(() => verifyWebhook('x', signed, SECRET, { now }))).toBe('not_json')
  })
})

describe('the receivers of docs/guides/receive-webhooks.md', () => {
  const folder = temporaryFolder('webhook-receivers-')
  const guide = readGuide('receive-webhooks')
  const children: ChildProcess[] = []
  afterAll(() => {
    for (const child of children) child.kill('SIGKILL')
  })

  const start = async (
    command: string,
    ...args: string[]
  ): Promise<{ url: string; output: () => string }> => {
    const child = spawn(command, args, {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', WEBHOOK_SECRET: SECRET },
    })
    children.push(child)
    let output = ''
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()))
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
    while (!/listening \d+/.test(output))
      await Promise.race([once(child.stdout, 'data'), failed(child, () => output)])
    return { url: `http://127.0.0.1:${/listening (\d+)/.exec(output)?.[1]}`, output: () => output }
  }
  const failed = async (child: ChildProcess, output: () => string): Promise<never> => {
    await once(child, 'exit')
    throw new Error(output())
  }
  const post = async (url: string, secret: string, age = 0): Promise<number> => {
    const timestamp = Math.floor(Date.now() / 1000) - age
    const signed = headersOf({ secret, timestamp, body: BODY })
    return (await fetch(url, { method: 'POST', body: BODY, headers: signed })).status
  }

  copyFileSync(
    fileURLToPath(new URL('../../../examples/verify-webhook.ts', import.meta.url)),
    join(folder, 'verify-webhook.ts'),
  )
  writeFileSync(join(folder, 'receiver.mjs'), codeBlockOf(guide, 'js'))
  writeFileSync(join(folder, 'receiver.py'), codeBlockOf(guide, 'python'))
  writeFileSync(join(folder, 'main.go'), codeBlockOf(guide, 'go'))
  writeFileSync(join(folder, 'Receiver.java'), codeBlockOf(guide, 'java'))

  test.for([
    { language: 'Node', check: [process.execPath, '--version'], run: [process.execPath, 'receiver.mjs'] },
    { language: 'Python', check: ['python3', '--version'], run: ['python3', 'receiver.py'] },
    { language: 'Go', check: ['go', 'version'], run: ['go', 'run', 'main.go'] },
    { language: 'Java', check: ['javac', '--version'], run: ['java', 'Receiver.java'] },
  ])(
    'the $language receiver accepts each signed event once and refuses other requests',
    async ({ check: [checked = '', ...checkArgs], run: [command = '', ...args] }, { skip }) => {
      skip(spawnSync(checked, checkArgs).status !== 0, 'The language is not installed')
      const { url, output } = await start(command, ...args)
      const statuses = [
        await post(url, SECRET),
        await post(url, SECRET),
        await post(url, 'whsec_other'),
        await post(url, SECRET, 301),
      ]
      expect(statuses).toEqual([200, 200, 400, 400])
      expect(output().match(/^agent\.closed/gm)).toHaveLength(1)
    },
  )
})
