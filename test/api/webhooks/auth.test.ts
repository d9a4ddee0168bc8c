import { createConnection } from 'node:net'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, FIXED_NOW, type TestApp } from '../../support/app.ts'
import { walletOf } from '../../support/wallet.ts'
import table from '../../support/webhooks/auth-vectors.json' with { type: 'json' }

let now = FIXED_NOW
const clock = { now: () => now }
let t: TestApp
let replica: TestApp
beforeAll(async () => {
  t = await createTestApp({ clock })
  replica = await createTestApp({
    clock,
    database: t.database,
    ledger: { call: () => Promise.reject(new Error('none')) },
  })
})
afterAll(async () => {
  await replica.close()
  await t.close()
})

const wallet = walletOf('auth')
/** Every request of this file is of a second of its own. */
const nextSecond = (): number => (now += 1000)

const list = async ({ app }: TestApp, headers: Record<string, string>, url = '/webhooks') => {
  const response = await app.inject({ url, headers })
  return [response.statusCode, response.json<{ error?: string }>().error ?? null]
}
const GRAPHQL = '{ webhooks { id } }'
const graphql = async ({ app }: TestApp, headers: Record<string, string>, query = GRAPHQL) => {
  const response = await app.inject({ method: 'POST', url: '/graphql', headers, payload: { query } })
  type Answer = { errors?: { message: string; extensions: { code: string; status: number } }[] }
  return (
    response.json<Answer>().errors?.map(({ message, extensions }) => [extensions.status, message]) ?? null
  )
}

const MISSING = 'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp'
const EXPIRED = 'Signature expired. Timestamp must be within 60 seconds.'
const USED = 'Signature already used. Sign a new message with a fresh timestamp.'

describe('the table of vectors at the REST door', () => {
  const printable = /^[\x20-\x7e]*$/
  const vectors = table.vectors.filter(
    ({ method, path, pubkey, timestamp, signature }) =>
      method === 'GET' &&
      path === '/webhooks' &&
      [pubkey, timestamp, signature].every((each) => printable.test(each ?? '')),
  )

  test('every text comes with 401 and a challenge, in its order', async () => {
    const before = now
    const seen = new Set<string>()
    for (const { nowMs, pubkey, timestamp, signature, error } of vectors) {
      if (error === null) continue
      now = nowMs
      const given = {
        'x-wallet-pubkey': pubkey,
        'x-wallet-timestamp': timestamp,
        'x-wallet-signature': signature,
      }
      const headers = Object.fromEntries(
        Object.entries(given).filter(([, value]) => value !== null),
      ) as Record<string, string>
      const response = await t.app.inject({ url: '/webhooks', headers })
      expect([response.statusCode, response.json()]).toEqual([401, { error }])
      expect(response.headers['www-authenticate']).toBe('WalletSignature')
      seen.add(error)
    }
    expect(seen.size).toBe(6)
    now = before
  })
})

test('a signature is taken once, on whichever replica', async () => {
  const headers = wallet.headers('GET', '/webhooks', nextSecond())
  expect(await list(t, headers)).toEqual([200, null])
  expect(await list(replica, headers)).toEqual([401, USED])
  expect(await list(t, headers)).toEqual([401, USED])
  expect(await list(t, wallet.headers('GET', '/webhooks', nextSecond()))).toEqual([200, null])
})

test('of the same request at once on both replicas one is taken', async () => {
  const headers = wallet.headers('GET', '/webhooks', nextSecond())
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => list(i % 2 === 0 ? t : replica, headers)),
  )
  expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
  expect(answers.filter(([, error]) => error === USED)).toHaveLength(19)
})

test('the clocks may differ by 60 seconds, and not by a millisecond more', async () => {
  const second = Math.ceil(nextSecond() / 1000) * 1000
  const signedAt = (skewSeconds: number) => wallet.headers('GET', '/webhooks', second + skewSeconds * 1000)
  now = second
  expect(await list(t, signedAt(-60))).toEqual([200, null])
  expect(await list(t, signedAt(60))).toEqual([200, null])
  expect(await list(t, signedAt(61))).toEqual([401, EXPIRED])
  now = second + 1
  expect(await list(t, signedAt(-60))).toEqual([401, EXPIRED])
  now = second + 1000
})

test('method and path are the request’s; a query string is not signed', async () => {
  expect(await list(t, wallet.headers('POST', '/webhooks', nextSecond()))).toEqual([401, 'Invalid signature'])
  const id = '0f8fad5b-d9cb-469f-a165-70867728950e'
  const path = `/webhooks/${id}/deliveries`
  expect(await list(t, wallet.headers('GET', path, nextSecond()), `${path}?limit=1`)).toEqual([
    404,
    'Webhook not found',
  ])
  expect(await list(t, wallet.headers('GET', `${path}?limit=1`, nextSecond()), `${path}?limit=1`)).toEqual([
    401,
    'Invalid signature',
  ])
  // As sent: neither decoded nor normalised.
  const encoded = `/webhooks/%61/deliveries`
  expect(await list(t, wallet.headers('GET', encoded, nextSecond()), encoded)).toEqual([
    404,
    'Webhook not found',
  ])
  expect(await list(t, wallet.headers('GET', '/webhooks/a/deliveries', nextSecond()), encoded)).toEqual([
    401,
    'Invalid signature',
  ])
})

test.each([
  '/webhooks/',
  '//webhooks',
  '/webhooks//',
  '/webhooks%2f',
  '/WEBHOOKS',
  '/%77ebhooks',
  '/webhooks;x',
])('%s is no way round the signature', async (path) => {
  const [unsigned] = await list(t, {}, path)
  expect([401, 404]).toContain(unsigned)
  expect(await list(t, wallet.headers('GET', '/webhooks', nextSecond()), path)).not.toEqual([200, null])
})

test('HEAD signs HEAD', async () => {
  const head = async (signed: 'GET' | 'HEAD') => {
    const headers = wallet.headers(signed, '/webhooks', nextSecond())
    return (await t.app.inject({ method: 'HEAD', url: '/webhooks', headers })).statusCode
  }
  expect([await head('GET'), await head('HEAD')]).toEqual([401, 200])
  const method = { 'x-http-method-override': 'GET' }
  const given = { ...wallet.headers('GET', '/webhooks', nextSecond()), ...method }
  expect(
    (await t.app.inject({ method: 'POST', url: '/webhooks', headers: given, payload: {} })).statusCode,
  ).toBe(401)
})

test('the wallet is asked for before the body is read, and before anything is said of the webhook', async () => {
  const patch = async (payload: string, headers: Record<string, string>, type = 'application/json') => {
    const response = await t.app.inject({
      method: 'POST',
      url: '/webhooks',
      headers: { ...headers, 'content-type': type },
      payload,
    })
    return response.statusCode
  }
  expect(await patch('{', {})).toBe(401)
  expect(await patch('<a/>', {}, 'text/xml')).toBe(401)
  expect(await patch(JSON.stringify('x'.repeat(300_000)), {})).toBe(401)
  expect(await patch('{', wallet.headers('POST', '/webhooks', nextSecond()))).toBe(400)
  for (const method of ['PATCH', 'DELETE'] as const)
    expect((await t.app.inject({ method, url: '/webhooks/nothing' })).statusCode).toBe(401)
})

test('event types need no wallet, and other endpoints ignore its headers', async () => {
  expect((await t.app.inject({ url: '/webhooks/event-types' })).statusCode).toBe(200)
  expect((await t.app.inject({ url: '/health', headers: { 'x-wallet-pubkey': 'x' } })).statusCode).toBe(200)
})

describe('GraphQL', () => {
  test('signs POST /graphql, with the texts of REST', async () => {
    expect(await graphql(t, {})).toEqual([[401, MISSING]])
    expect(await graphql(t, wallet.headers('GET', '/webhooks', nextSecond()))).toEqual([
      [401, 'Invalid signature'],
    ])
    expect(await graphql(t, wallet.headers('POST', '/graphql', nextSecond() - 120_000))).toEqual([
      [401, EXPIRED],
    ])
    const headers = wallet.headers('POST', '/graphql', nextSecond())
    expect(await graphql(t, headers)).toBeNull()
    expect(await graphql(replica, headers)).toEqual([[401, USED]])
  })

  test('an operation uses one signature, however many fields ask', async () => {
    const query = '{ a: webhooks { id } b: webhooks { id } c: webhooks { id } }'
    expect(await graphql(t, wallet.headers('POST', '/graphql', nextSecond()), query)).toBeNull()
    expect(await graphql(t, {}, query)).toEqual([[401, MISSING]])
  })

  test('what is public needs none', async () => {
    expect(await graphql(t, {}, '{ webhookEventTypes }')).toBeNull()
  })
})

describe('headers as bytes on a socket', () => {
  let port: number
  beforeAll(async () => {
    port = Number(new URL(await t.app.listen({ port: 0, host: '127.0.0.1' })).port)
  })
  const answer = async (headers: string[], path = '/webhooks'): Promise<string> => {
    const socket = createConnection(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      Buffer.from(
        `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${headers.map((each) => `${each}\r\n`).join('')}\r\n`,
        'latin1',
      ),
    )
    const text = (await socket.toArray()).join('')
    return `${text.slice(9, 12)} ${/"error":"([^"]*)"/.exec(text)?.[1]}`
  }
  const lines = (): string[] =>
    Object.entries(wallet.headers('GET', '/webhooks', nextSecond())).map(
      ([name, value]) => `${name}: ${value}`,
    )

  test.each([
    '/./webhooks',
    '/%2e/webhooks',
    '/webhooks/event-types/../../webhooks',
    '/webhooks/event-types/%2e%2e',
    '/webhooks#/webhooks/event-types',
    'http://gateway.example/webhooks',
  ])('%s is no way round the signature', async (path) => {
    for (const headers of [[], lines()]) expect(await answer(headers, path)).toMatch(/^40[014] /)
  })

  test('in any case and with blanks around they are what they are', async () => {
    expect(
      await answer(lines().map((each) => each.replace('x-wallet', 'X-WALLET').replace(': ', ':  \t'))),
    ).toBe('200 undefined')
  })

  test.each([
    ['repeated', (given: string[]) => [...given, given[0]!], '401 Invalid wallet pubkey'],
    ['repeated timestamps', (given: string[]) => [...given, given[1]!], '401 Invalid timestamp'],
    ['repeated signatures', (given: string[]) => [...given, given[2]!], '401 Invalid signature encoding'],
    [
      'not ASCII',
      (given: string[]) => [given[0]!.replace(/.$/, 'é'), ...given.slice(1)],
      '401 Invalid wallet pubkey',
    ],
    ['empty', (given: string[]) => ['x-wallet-pubkey:', ...given.slice(1)], `401 ${MISSING}`],
    [
      'long',
      (given: string[]) => [`x-wallet-pubkey: ${'1'.repeat(12_000)}`, ...given.slice(1)],
      '401 Invalid wallet pubkey',
    ],
    [
      'too long for any server',
      (given: string[]) => [`x-wallet-pubkey: ${'1'.repeat(20_000)}`, ...given.slice(1)],
      '431 The request headers are too large',
    ],
  ])('%s: refused', async (_, change, expected) => {
    expect(await answer(change(lines()))).toBe(expected)
  })
})
