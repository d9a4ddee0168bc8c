import { createClient } from 'graphql-ws'
import { sql } from 'kysely'
import { beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { openSession } from '../../../src/db/session.ts'
import { createAppOfTest, FIXED_NOW, GENESIS_LEDGER, type TestApp, useTestApp } from '../../support/app.ts'
import { eventually } from '../../support/eventually.ts'
import { type OpenApi, problems } from '../../support/openapi.ts'
import { firstOf } from '../../support/operation-socket.ts'
import { bearer, requestChallenge, signIn, type SignInWallet, signInWallet } from '../../support/sign-in.ts'
import { type TestWallet, walletOf } from '../../support/wallet.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
let now = FIXED_NOW
const options = { clock: { now: () => now }, ledger: GENESIS_LEDGER }
const t = useTestApp({ ...options, listens: true })
const replica = useTestApp(() => ({ ...options, database: t.database }))

let label = 0
let wallet: SignInWallet
/** Signs requests for the same wallet. */
let signer: TestWallet
let token: string
beforeEach(async () => {
  label += 1
  wallet = signInWallet(`session ${label}`)
  signer = walletOf(`session ${label}`)
  token = await signIn(t, wallet)
})

const ENDED = 'The session is unknown, expired or ended. Sign in again.'
const MISSING = 'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp'
const list = async (headers: Record<string, string>, { app }: TestApp = t, path = '/webhooks') => {
  const response = await app.inject({ url: path, headers })
  return [response.statusCode, response.json<{ error?: string }>().error ?? null]
}
const end = (headers: Record<string, string>, query = '') =>
  t.app.inject({ method: 'DELETE', url: `/auth/session${query}`, headers })

describe('a session token in REST', () => {
  test('stands for the wallet in every request, in all processes', async () => {
    expect(signer.pubkey).toBe(wallet.address)
    const created = await t.app.inject({
      method: 'POST',
      url: '/webhooks',
      headers: bearer(token),
      payload: { url: 'https://receiver.example.org', eventTypes: ['agent.closed'] },
    })
    expect(created.statusCode).toBe(201)
    const { id } = created.json<{ id: string }>()
    for (const app of [t, replica, t]) expect(await list(bearer(token), app)).toEqual([200, null])
    expect((await list(signer.headers('GET', '/webhooks', now)))[0]).toBe(200)
    const path = `/webhooks/${id}`
    expect(await list(bearer(await signIn(t, signInWallet('other'))), t, `${path}/deliveries`)).toEqual([
      404,
      'Webhook not found',
    ])
    const deleted = await t.app.inject({ method: 'DELETE', url: path, headers: bearer(token) })
    expect(deleted.json()).toEqual({ deleted: true })
  })

  test('lets its wallet verify a credential', async () => {
    const response = await t.app.inject({
      method: 'POST',
      url: `/agents/${wallet.address}/credentials/verify`,
      headers: bearer(token),
      payload: {},
    })
    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([404, 'Agent not found'])
  })

  test('is ignored if the request has any wallet header, even an empty one', async () => {
    expect(await list({ ...bearer(token), 'x-wallet-pubkey': '' })).toEqual([401, MISSING])
    const other = walletOf('someone else')
    const response = await t.app.inject({
      url: '/auth/session',
      headers: { ...bearer(token), ...other.headers('GET', '/auth/session', now) },
    })
    expect([response.statusCode, response.json()]).toMatchObject([
      401,
      { error: 'Missing session. Required: Authorization: Bearer <token>' },
    ])
  })

  test('is accepted after several spaces, with the scheme in lower case', async () => {
    expect(await list({ authorization: `bearer   ${token}` })).toEqual([200, null])
  })

  test.each([
    ['a wrong token', () => `Bearer ars_${'A'.repeat(43)}`, ENDED],
    ['a token with a change', () => `Bearer ${token.slice(0, -1)}`, ENDED],
    ['a token of another service', () => 'Bearer eyJhbGciOiJIUzI1NiJ9.e30.x', ENDED],
    ['a token after other characters', () => `Bearer x${token}`, ENDED],
    ['a longer token', () => `Bearer ${token}x`, ENDED],
    ['the hash of the token', () => `Bearer ${token.replace('ars_', '')}`, ENDED],
    ['another scheme', () => `Basic ${token}`, MISSING],
    ['a scheme that ends with it', () => `NotBearer ${token}`, MISSING],
    ['two tokens', () => `Bearer ${token} ${token}`, MISSING],
    ['no scheme', () => token, MISSING],
    ['an empty header', () => '', MISSING],
  ])('with %s is 401 with a challenge', async (_, authorization, error) => {
    const response = await t.app.inject({ url: '/webhooks', headers: { authorization: authorization() } })
    expect([response.statusCode, response.json<{ error: string }>().error]).toEqual([401, error])
    expect(response.headers['www-authenticate']).toBe(
      error === ENDED ? 'WalletSignature, Bearer error="invalid_token"' : 'WalletSignature, Bearer',
    )
  })

  test('is not read from the URL, the body or a cookie', async () => {
    for (const query of [`access_token=${token}`, `token=${token}`, `authorization=Bearer%20${token}`]) {
      const response = await t.app.inject(`/webhooks?${query}`)
      expect([400, 401]).toContain(response.statusCode)
      expect(response.body).not.toContain(token)
    }
    expect(await list({ cookie: `session=${token}; access_token=${token}` })).toEqual([401, MISSING])
  })

  test('is checked before the body is read', async () => {
    const post = (headers: Record<string, string>) =>
      t.app.inject({
        method: 'POST',
        url: '/webhooks',
        headers: { ...headers, 'content-type': 'application/json' },
        payload: '{',
      })
    expect((await post(bearer(`${token}x`))).statusCode).toBe(401)
    expect((await post(bearer(token))).statusCode).toBe(400)
  })
})

describe('GET and DELETE /auth/session', () => {
  test('GET returns the session without its token', async () => {
    const response = await t.app.inject({ url: '/auth/session', headers: bearer(token) })
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      wallet: wallet.address,
      createdAt: new Date(now).toISOString(),
      lastUsedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 12 * HOUR).toISOString(),
    })
  })

  test('DELETE ends this session at once in all processes, and no other', async () => {
    const other = await signIn(t, wallet)
    expect(await list(bearer(token), replica)).toEqual([200, null])
    expect((await end(bearer(token))).json()).toEqual({ ended: 1 })
    expect(await list(bearer(token), replica)).toEqual([401, ENDED])
    expect((await end(bearer(token))).statusCode).toBe(401)
    expect(await list(bearer(other))).toEqual([200, null])
  })

  test('DELETE with all=true ends every session of the wallet, and none of another wallet', async () => {
    const tokens = [token, await signIn(t, wallet), await signIn(t, wallet)]
    const other = await signIn(t, signInWallet('unrelated'))
    expect((await end(bearer(token), '?all=true')).json<{ ended: number }>().ended).toBe(3)
    for (const each of tokens) expect(await list(bearer(each))).toEqual([401, ENDED])
    expect(await list(bearer(other))).toEqual([200, null])
  })

  test('with a wallet signature in place of a token, only all=true is possible', async () => {
    const signed = () => signer.headers('DELETE', '/auth/session', (now += 1000))
    expect((await end(signed())).statusCode).toBe(401)
    expect(await list(bearer(token))).toEqual([200, null])
    expect((await end(signed(), '?all=true')).statusCode).toBe(200)
    expect(await list(bearer(token))).toEqual([401, ENDED])
    expect((await end({})).json()).toMatchObject({ error: MISSING })
  })
})

describe('the end of a session', () => {
  test('the time of the last use is written once a minute', async () => {
    const usedAt = async () =>
      (
        await t.kysely
          .selectFrom('wallet_sessions')
          .select('used_at')
          .orderBy('used_at', 'desc')
          .executeTakeFirst()
      )?.used_at
    const start = now
    const times = []
    for (const step of [0, MINUTE - 1, 1, MINUTE - 1, 1]) {
      now += step
      await list(bearer(token))
      times.push(Date.parse((await usedAt())!) - start)
    }
    expect(times).toEqual([0, 0, MINUTE, MINUTE, 2 * MINUTE])
  })

  test('the eleventh session of a wallet ends the one that was not used for the longest time', async () => {
    const owner = signInWallet('many sessions')
    const tokens: string[] = []
    for (let i = 0; i < 10; i += 1) {
      now += MINUTE
      tokens.push(await signIn(t, owner))
    }
    now += MINUTE
    expect(await list(bearer(tokens[0]!))).toEqual([200, null])
    tokens.push(await signIn(t, owner))
    const statuses = await Promise.all(tokens.map(async (each) => (await list(bearer(each)))[0]))
    expect(statuses).toEqual([200, 401, 200, 200, 200, 200, 200, 200, 200, 200, 200])
    expect(await list(bearer(token))).toEqual([200, null])
  })

  test('sign-ins of a wallet that run at the same time leave ten sessions', async () => {
    const owner = signInWallet('sessions at once')
    for (let i = 0; i < 10; i += 1) await signIn(t, owner)
    // The first of each process waits for the rows, and the others for it.
    const rows = await openSession(t.database.orm)
    await rows.query('begin')
    await rows.query('select from wallet_sessions where wallet = $1 for update', [owner.address])
    const tokens = Promise.all(Array.from({ length: 8 }, (_, i) => signIn(i % 2 ? t : replica, owner)))
    await eventually(async () => {
      const { rowCount } = await rows.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      expect(rowCount).toBe(2)
    })
    await rows.end()
    await tokens
    const left = await sql`select from wallet_sessions where wallet = ${owner.address}`.execute(t.kysely)
    expect(left.rows).toHaveLength(10)
  })

  test('each new session deletes a batch of those that have ended', async () => {
    await t.kysely.deleteFrom('wallet_sessions').execute()
    const time = new Date(now - HOUR - 1).toISOString()
    const rows = Array.from({ length: 15 }, (_, i) => ({
      token_hash: `old ${i}`,
      wallet: 'w',
      created_at: time,
      used_at: time,
      expires_at: time,
    }))
    await t.kysely.insertInto('wallet_sessions').values(rows).execute()
    const counts = []
    for (let i = 0; i < 2; i += 1) {
      await signIn(t, wallet)
      counts.push((await t.kysely.selectFrom('wallet_sessions').select('wallet').execute()).length)
    }
    expect(counts).toEqual([6, 2])
  })
})

describe('GraphQL', () => {
  const graphql = async (query: string, headers: Record<string, string> = {}, variables = {}) => {
    const response = await t.app.inject({
      method: 'POST',
      url: '/graphql',
      headers,
      payload: { query, variables },
    })
    type Result = {
      data?: Record<string, unknown>
      errors?: { extensions: { code: string; status: number } }[]
    }
    return response.json<Result>()
  }
  const CREATE =
    'mutation ($message: String!, $signature: String!) { createSession(message: $message, signature: $signature) { token wallet } }'

  test('has the operations of /auth', async () => {
    const { data } = await graphql(
      'mutation { createSignInChallenge { input { domain uri version chainId nonce issuedAt expirationTime statement } message } }',
    )
    const { input } = data!['createSignInChallenge'] as Awaited<ReturnType<typeof requestChallenge>>
    const created = await graphql(CREATE, {}, wallet.signIn(input))
    const session = created.data!['createSession'] as { token: string; wallet: string }
    expect(session.wallet).toBe(wallet.address)
    const own = bearer(session.token)
    expect(await graphql('{ session { wallet } webhooks { nodes { id } } }', own)).toEqual({
      data: { session: { wallet: wallet.address }, webhooks: { nodes: [] } },
    })
    expect(await graphql('mutation { endSession { ended } }', own)).toEqual({
      data: { endSession: { ended: 1 } },
    })
    expect((await graphql('{ webhooks { nodes { id } } }', own)).errors).toMatchObject([
      { extensions: { code: 'SESSION_INVALID', status: 401 } },
    ])
  })

  test('an event stream that is opened by fetch has the session', async () => {
    const response = await fetch(`${t.url}/graphql`, {
      method: 'POST',
      headers: { ...bearer(token), 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: '{ session { wallet } }' }),
    })
    expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(await response.text()).toContain(wallet.address)
  })

  /** It stays open between operations. */
  const socketOf = (connectionParams?: Record<string, unknown>) =>
    createClient({
      url: `${t.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams,
      lazy: false,
      retryAttempts: 0,
    })
  const SESSION = '{ session { wallet } }'

  test('a WebSocket takes the token from connection_init, until the session ends', async () => {
    for (const name of ['Authorization', 'authorization']) {
      const socket = socketOf({ [name]: `Bearer ${token}` })
      expect(await firstOf(socket, SESSION)).toContain(wallet.address)
      await socket.dispose()
    }
    let sockets = 0
    const socket = socketOf({ authorization: `Bearer ${token}` })
    socket.on('connected', () => (sockets += 1))
    expect(await firstOf(socket, '{ webhooks { nodes { id } } }')).toContain('"webhooks":{"nodes":[]}')
    await end(bearer(token))
    expect(await firstOf(socket, '{ webhooks { nodes { id } } }')).toContain('SESSION_INVALID')
    expect(await firstOf(socket, '{ webhookEventTypes }')).toContain('AGENT_REGISTERED')
    expect(sockets).toBe(1)
    await socket.dispose()
  })

  test.each<[string, Record<string, unknown> | undefined, string]>([
    ['no connection_init payload', undefined, 'AUTH_HEADERS_MISSING'],
    ['a token that is not text', { authorization: { bearer: 1 } }, 'AUTH_HEADERS_MISSING'],
    ['a wrong token', { authorization: `Bearer ars_${'A'.repeat(43)}` }, 'SESSION_INVALID'],
    ['wallet headers', { 'x-wallet-pubkey': 'x' }, 'AUTH_HEADERS_MISSING'],
  ])('a WebSocket with %s has no wallet', async (_, params, code) => {
    const socket = socketOf(params)
    expect(await firstOf(socket, SESSION)).toContain(code)
    await socket.dispose()
  })
})

test('the responses match the OpenAPI document', async () => {
  const document = (await t.app.inject('/openapi.json')).json<OpenApi>()
  const { input } = await requestChallenge(t)
  const requests = [
    { method: 'post', url: '/auth/challenge', payload: { wallet: wallet.address } },
    { method: 'post', url: '/auth/session', payload: wallet.signIn(input) },
    { method: 'get', url: '/auth/session', headers: bearer(token) },
    { method: 'delete', url: '/auth/session', headers: bearer(token) },
    { method: 'get', url: '/auth/session', headers: bearer(token) },
  ] as const
  const found = []
  for (const request of requests) {
    const { statusCode, body } = await t.app.inject({
      ...request,
      method: request.method.toUpperCase() as 'GET',
    })
    const schema =
      document.paths[request.url]?.[request.method]?.responses[statusCode]?.content?.['application/json']
        ?.schema
    found.push([statusCode, schema && problems(document, schema, JSON.parse(body))])
  }
  expect(found).toEqual([
    [200, []],
    [201, []],
    [200, []],
    [200, []],
    [401, []],
  ])
})

test('a token goes where CORS lets a page send it', async () => {
  const response = await t.app.inject({
    method: 'OPTIONS',
    url: '/auth/session',
    headers: {
      origin: 'https://app.example.org',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    },
  })
  expect(response.headers['access-control-allow-headers']).toContain('authorization')
  expect(response.headers).not.toHaveProperty('access-control-allow-credentials')
})

test('challenges and sign-ins are counted per client network, requests with a token as authenticated', async () => {
  const rateLimits = { authenticated: 2, signIn: 4 }
  const limited = await createAppOfTest({
    rateLimits,
    ledger: GENESIS_LEDGER,
  })
  const challenge = async (remoteAddress: string) =>
    (await limited.app.inject({ method: 'POST', url: '/auth/challenge', payload: {}, remoteAddress }))
      .statusCode
  const own = await signIn(limited, wallet)
  expect([await challenge('127.0.0.1'), await challenge('127.0.0.1'), await challenge('127.0.0.1')]).toEqual([
    200, 200, 429,
  ])
  expect(await challenge('203.0.113.9')).toBe(200)
  const statuses = []
  for (let i = 0; i < 3; i += 1) statuses.push((await list(bearer(own), limited))[0])
  expect(statuses).toEqual([200, 200, 429])
})
