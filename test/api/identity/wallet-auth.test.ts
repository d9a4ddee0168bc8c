import { createConnection } from 'node:net'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { FIXED_NOW, NO_LEDGER, type TestApp, useTestApp } from '../../support/app.ts'
import { walletOf } from '../../support/wallet.ts'
import table from '../../support/identity/wallet-auth-vectors.json' with { type: 'json' }

let now = FIXED_NOW
const clock = { now: () => now }
const t = useTestApp({ listens: true, clock })
const replica = useTestApp(() => ({
  clock,
  database: t.database,
  ledger: NO_LEDGER,
}))

const wallet = walletOf('auth')
/** Each request of this file has its own timestamp. */
const nextSecond = (): number => (now += 1000)

const [OWNER, THIEF] = ['192.0.2.1', '192.0.2.2']
const list = async (
  { app }: TestApp,
  headers: Record<string, string>,
  url = '/webhooks',
  remoteAddress = OWNER,
) => {
  const response = await app.inject({ url, headers, remoteAddress })
  return [response.statusCode, response.json<{ error?: string }>().error ?? null]
}
const GRAPHQL = '{ webhooks { nodes { id } } }'
const graphql = async (
  { app }: TestApp,
  headers: Record<string, string>,
  query = GRAPHQL,
  remoteAddress = OWNER,
) => {
  const request = { method: 'POST', url: '/graphql', headers, payload: { query }, remoteAddress } as const
  const response = await app.inject(request)
  type Result = { errors?: { message: string; extensions: { code: string; status: number } }[] }
  return (
    response.json<Result>().errors?.map(({ message, extensions }) => [extensions.status, message]) ?? null
  )
}

const MISSING = 'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp'
const EXPIRED = 'Signature expired. Timestamp must be within 60 seconds.'
const USED = 'Signature already used. Sign a new message with a fresh timestamp.'

describe('the test vectors in REST', () => {
  const printable = /^[\x20-\x7e]*$/
  const vectors = table.vectors.filter(
    ({ method, path, pubkey, timestamp, signature }) =>
      method === 'GET' &&
      path === '/webhooks' &&
      [pubkey, timestamp, signature].every((each) => printable.test(each ?? '')),
  )

  test('each error text has status 401 and a WWW-Authenticate header', async () => {
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
      expect([response.statusCode, response.json()]).toMatchObject([401, { error }])
      expect(response.headers['www-authenticate']).toBe('WalletSignature, Bearer')
      seen.add(error)
    }
    expect(seen.size).toBe(6)
    now = before
  })
})

test('a signature is accepted again from the network of its first use only, by every replica', async () => {
  const headers = wallet.headers('GET', '/webhooks', nextSecond())
  for (const app of [t, replica, t]) {
    expect(await list(app, headers)).toEqual([200, null])
    expect(await list(app, headers, '/webhooks', THIEF)).toEqual([401, USED])
  }
  const other = wallet.headers('GET', '/webhooks', nextSecond())
  expect(await list(t, other, '/webhooks', THIEF)).toEqual([200, null])
  expect(await list(replica, other)).toEqual([401, USED])
  // The first signature is still bound to its network.
  expect(await list(replica, headers)).toEqual([200, null])
  now += 60_000
  expect(await list(t, headers)).toEqual([401, EXPIRED])
})

test('a signature that is refused from another network says so', async () => {
  const headers = wallet.headers('GET', '/webhooks', nextSecond())
  await list(t, headers)
  const response = await t.app.inject({ url: '/webhooks', headers, remoteAddress: THIEF })
  expect(response.json()).toEqual({
    error: USED,
    message: 'The signature was first used from another client network: another IPv4 address or IPv6 /64.',
    details: { code: 'SIGNATURE_USED' },
  })
})

test('the networks of signatures are those of the rate limits: an IPv6 /64 is one', async () => {
  const headers = wallet.headers('GET', '/webhooks', nextSecond())
  expect(await list(t, headers, '/webhooks', '2001:db8:0:1::1')).toEqual([200, null])
  expect(await list(replica, headers, '/webhooks', '2001:db8:0:1:ffff::2')).toEqual([200, null])
  expect(await list(t, headers, '/webhooks', '2001:db8:0:2::1')).toEqual([401, USED])
})

test('honest clients repeat a signature: lists, pages, and two webhooks within a second', async () => {
  const second = nextSecond()
  const get = wallet.headers('GET', '/webhooks', second)
  expect(await Promise.all([list(t, get), list(replica, get)])).toEqual([
    [200, null],
    [200, null],
  ])
  const headers = wallet.headers('POST', '/webhooks', second)
  const create = async ({ app }: TestApp, path: string) => {
    const payload = { url: `https://receiver.example${path}`, eventTypes: ['agent.registered'] }
    const request = { method: 'POST', url: '/webhooks', headers, payload, remoteAddress: OWNER } as const
    const response = await app.inject(request)
    expect(response.statusCode).toBe(201)
    return response.json<{ id: string }>().id
  }
  const ids = await Promise.all([create(t, '/a'), create(replica, '/b')])
  expect(new Set(ids).size).toBe(2)
  const path = `/webhooks/${ids[0]}/deliveries`
  const pages = wallet.headers('GET', path, second)
  for (const offset of [0, 1]) expect(await list(t, pages, `${path}?offset=${offset}`)).toEqual([200, null])
})

describe('a wrong signature', () => {
  const expectedMessage = (path: string, method = 'GET') =>
    `The signature must be of this message: service-auth:${wallet.pubkey}:${Math.floor(now / 1000)}:${method}:${path}`

  test.each([
    ['/webhooks?x=1', '/webhooks'],
    ['/webhooks/%61%0A/deliveries?limit=1', '/webhooks/%61%0A/deliveries'],
    [`/webhooks/${'y'.repeat(10_000)}/deliveries`, `/webhooks/${'y'.repeat(10_000)}/deliveries`],
  ])('is 401 with the exact message that was expected', async (url, path) => {
    const headers = wallet.headers('DELETE', path, nextSecond())
    const response = await t.app.inject({ url, headers })
    expect(response.statusCode).toBe(401)
    expect(response.json()).toEqual({
      error: 'Invalid signature',
      message: expectedMessage(path),
      details: { code: 'INVALID_WALLET_SIGNATURE' },
    })
  })

  test('is an error with the exact message in GraphQL', async () => {
    const headers = wallet.headers('GET', '/graphql', nextSecond())
    const payload = { query: GRAPHQL }
    const response = await t.app.inject({ method: 'POST', url: '/graphql', headers, payload })
    const message = expectedMessage('/graphql', 'POST')
    const extensions = { code: 'INVALID_WALLET_SIGNATURE', status: 401, message }
    expect(response.json()).toMatchObject({ errors: [{ message: 'Invalid signature', extensions }] })
  })
})

test('the signature covers the method and the path without the query string', async () => {
  const signed = (method: string, path: string, url = path) =>
    list(t, wallet.headers(method, path, nextSecond()), url)
  const INVALID = [401, 'Invalid signature']
  const ACCEPTED = [404, 'Webhook not found']
  expect(await signed('POST', '/webhooks')).toEqual(INVALID)
  const path = '/webhooks/0f8fad5b-d9cb-469f-a165-70867728950e/deliveries'
  expect(await signed('GET', path, `${path}?limit=1`)).toEqual(ACCEPTED)
  expect(await signed('GET', `${path}?limit=1`)).toEqual(INVALID)
  // The signed path is the path as sent: not decoded and not normalized.
  const encoded = `/webhooks/%61/deliveries`
  expect(await signed('GET', encoded)).toEqual(ACCEPTED)
  expect(await signed('GET', '/webhooks/a/deliveries', encoded)).toEqual(INVALID)
})

test.each([
  '/webhooks/',
  '//webhooks',
  '/webhooks//',
  '/webhooks%2f',
  '/WEBHOOKS',
  '/%77ebhooks',
  '/webhooks;x',
])('the path %s does not bypass the signature', async (path) => {
  const [unsigned] = await list(t, {}, path)
  expect([401, 404]).toContain(unsigned)
  expect(await list(t, wallet.headers('GET', '/webhooks', nextSecond()), path)).not.toEqual([200, null])
})

test('a HEAD request is signed with the method HEAD', async () => {
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

test('the signature is checked before the body is read and before the webhook is looked up', async () => {
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

test('event types need no wallet, and public endpoints ignore the wallet headers', async () => {
  expect((await t.app.inject({ url: '/webhooks/event-types' })).statusCode).toBe(200)
  expect((await t.app.inject({ url: '/health', headers: { 'x-wallet-pubkey': 'x' } })).statusCode).toBe(200)
})

describe('GraphQL', () => {
  test('the signed path is POST:/graphql and the error texts are those of REST', async () => {
    expect(await graphql(t, {})).toEqual([[401, MISSING]])
    expect(await graphql(t, wallet.headers('GET', '/webhooks', nextSecond()))).toEqual([
      [401, 'Invalid signature'],
    ])
    expect(await graphql(t, wallet.headers('POST', '/graphql', nextSecond() - 120_000))).toEqual([
      [401, EXPIRED],
    ])
    const headers = wallet.headers('POST', '/graphql', nextSecond())
    expect(await graphql(t, headers)).toBeNull()
    expect(await graphql(replica, headers)).toBeNull()
    expect(await graphql(replica, headers, GRAPHQL, THIEF)).toEqual([[401, USED]])
  })

  test('an operation uses one signature for all of its fields', async () => {
    const query = '{ a: webhooks { totalCount } b: webhooks { totalCount } c: viewer { wallet } }'
    expect(await graphql(t, wallet.headers('POST', '/graphql', nextSecond()), query)).toBeNull()
    expect(await graphql(t, {}, query)).toEqual([[401, MISSING]])
  })

  test('public fields need no signature', async () => {
    expect(await graphql(t, {}, '{ webhookEventTypes }')).toBeNull()
  })
})

describe('raw header bytes on a socket', () => {
  const request = async (headers: string[], path = '/webhooks'): Promise<string> => {
    const socket = createConnection(t.port, '127.0.0.1')
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
  ])('the raw request target %s does not bypass the signature', async (path) => {
    for (const headers of [[], lines()]) expect(await request(headers, path)).toMatch(/^40[014] /)
  })

  test('header names can have any case, and values can have spaces around them', async () => {
    expect(
      await request(lines().map((each) => each.replace('x-wallet', 'X-WALLET').replace(': ', ':  \t'))),
    ).toBe('200 undefined')
  })

  const withKey = (key: string) => (given: string[]) => [`x-wallet-pubkey: ${key}`, ...given.slice(1)]
  test.each<[string, (given: string[]) => string[], string]>([
    ['repeated', (given) => [...given, given[0]!], '401 Invalid wallet pubkey'],
    ['repeated timestamps', (given) => [...given, given[1]!], '401 Invalid timestamp'],
    ['repeated signatures', (given) => [...given, given[2]!], '401 Invalid signature encoding'],
    ['not ASCII', ([key = '', ...rest]) => [key.replace(/.$/, 'é'), ...rest], '401 Invalid wallet pubkey'],
    ['empty', ([, ...rest]) => ['x-wallet-pubkey:', ...rest], `401 ${MISSING}`],
    ['long', withKey('1'.repeat(12_000)), '401 Invalid wallet pubkey'],
    ['too long for any server', withKey('1'.repeat(20_000)), '431 The request headers are too large'],
  ])('wallet headers that are %s are refused', async (_, change, expected) => {
    expect(await request(change(lines()))).toBe(expected)
  })
})
