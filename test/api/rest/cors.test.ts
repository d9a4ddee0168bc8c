import { beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp, useTestApp } from '../../support/app.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const ORIGIN = 'https://app.example.org'
const open = useTestApp()
const listed = useTestApp(() => ({ database: open.database, corsOrigins: [ORIGIN] }))
/** Also knows its host names. */
const named = useTestApp(() => ({
  database: open.database,
  corsOrigins: [ORIGIN],
  baseUrl: 'https://registry.example',
  hostNames: ['gateway', 'registry.example'],
}))
beforeAll(() => insertAgents(open.kysely, [agentRow('resolved', { owner: '1'.repeat(32) })]))

const preflight = (t: TestApp, url: string, origin: string, requested?: string) =>
  t.app.inject({
    method: 'OPTIONS',
    url,
    headers: {
      origin,
      'access-control-request-method': 'PATCH',
      ...(requested === undefined ? {} : { 'access-control-request-headers': requested }),
    },
  })

test.each(['/agents', '/graphql', '/relay/prepare', '/nowhere'])(
  'with the origin *, pages of every origin may call %s and read all response headers',
  async (url) => {
    const allowed = await preflight(open, url, 'https://anybody.example', 'x-wallet-signature')
    expect(allowed.statusCode).toBe(204)
    expect(allowed.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': 'x-wallet-signature',
      'access-control-max-age': '600',
    })
    const response = await open.app.inject({ url, headers: { origin: 'https://anybody.example' } })
    expect(response.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': '*',
    })
    expect(response.headers['access-control-allow-credentials']).toBeUndefined()
  },
)

test('with a list of origins, other origins get no CORS headers, and responses vary by origin', async () => {
  const own = await listed.app.inject({ url: '/health', headers: { origin: ORIGIN } })
  expect(own.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' })
  expect((await preflight(listed, '/agents', ORIGIN)).statusCode).toBe(204)
  for (const origin of ['https://app.example.org.evil.example', 'http://app.example.org', 'null']) {
    const response = await listed.app.inject({ url: '/health', headers: { origin } })
    expect(response.headers['access-control-allow-origin']).toBeUndefined()
    expect(response.headers['vary']).toBe('Origin')
    const refused = await preflight(listed, '/agents', origin)
    expect(refused.headers['access-control-allow-methods']).toBeUndefined()
  }
})

test.each([
  [`/did/did:sol:${'1'.repeat(32)}/document`, 200],
  [`/1.0/identifiers/did:sol:${'1'.repeat(32)}`, 200],
  ['/1.0/identifiers/did:sol:x', 400],
])('a response that also varies by Accept still varies by origin: %s', async (url, status) => {
  const { statusCode, headers } = await listed.app.inject({ url, headers: { origin: ORIGIN } })
  expect([statusCode, headers['vary']]).toEqual([status, 'Origin, accept'])
})

test.each([
  'authorization',
  'authorization,content-type, mcp-method,mcp-name\t,\ttraceparent,apollo-require-preflight',
  `x-${'a'.repeat(1_022)}`,
])('an allowed origin may send the headers %s', async (requested) => {
  for (const [t, origin] of [
    [open, 'https://anybody.example'],
    [listed, ORIGIN],
  ] as const) {
    const { headers } = await preflight(t, '/agents', origin, requested)
    expect(headers['access-control-allow-headers']).toBe(requested)
    expect(headers['access-control-expose-headers']).toBe('*')
    expect(headers['vary']).toContain('Access-Control-Request-Headers')
  }
  const refused = await preflight(listed, '/agents', 'https://evil.example', requested)
  expect(refused.headers['access-control-allow-headers']).toBeUndefined()
})

test.each([
  ['a name with a space', 'x y'],
  ['an empty name', 'x,,y'],
  ['no name', ''],
  ['a quoted text', '"x"'],
  ['more than 1 KB', `x-${'a'.repeat(1_023)}`],
])('a preflight with %s in its list of headers allows none', async (_, requested) => {
  const { headers, statusCode } = await preflight(open, '/agents', ORIGIN, requested)
  expect(statusCode).toBe(204)
  expect(headers['access-control-allow-headers']).toBe('')
})

test.each(['/agents', '/nowhere', '/graphql/schema.graphql', '/metrics', '/openapi.json'])(
  '%s has the security headers',
  async (url) => {
    const { headers } = await open.app.inject(url)
    expect(headers).toMatchObject({
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    })
    expect(headers['strict-transport-security']).toBeUndefined()
  },
)

test('the pages of /docs may load nothing from other origins', async () => {
  const { headers } = await open.app.inject('/docs/')
  expect(headers['content-security-policy']).toBe(
    "default-src 'none'; connect-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; frame-ancestors 'none'",
  )
})

const MCP = [
  ['POST', '/mcp'],
  ['GET', '/mcp/sse'],
  ['POST', '/mcp/messages'],
] as const
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' }
const sendMcp = (t: TestApp, method: 'GET' | 'POST', url: string, headers: Record<string, string>) =>
  t.app.inject({
    method,
    url,
    headers: { accept: 'application/json, text/event-stream', ...headers },
    ...(method === 'POST' ? { payload: PING } : {}),
  })

describe.each(MCP)('with a list of origins, %s %s', (method, url) => {
  test.each(['https://rebound.example', 'null', 'http://rebound.example:3000'])(
    'refuses a page of the origin %s, whatever the Host header',
    async (origin) => {
      for (const host of ['127.0.0.1:3000', 'rebound.example:3000']) {
        const response = await sendMcp(listed, method, url, { origin, host })
        expect(responseOf(response)).toEqual(
          refused(403, 'ORIGIN_NOT_ALLOWED', `The origin "${origin}" is not allowed to call this service`),
        )
      }
    },
  )

  test.each(['rebound.example:3000', '127.0.0.1.rebound.example', 'localhost.example', '@'])(
    'refuses a page without an Origin header that has rebound the name %s',
    async (host) => {
      const response = await sendMcp(listed, method, url, { host })
      expect(responseOf(response)).toEqual(
        refused(
          403,
          'HOST_NOT_ALLOWED',
          `The host name "${host}" is not a name of this service (see BASE_URL)`,
        ),
      )
    },
  )
})

test.each([
  ['has the host name of BASE_URL', { host: 'registry.example' }],
  ['has that name with a port and a final dot', { host: 'Registry.Example.:8080' }],
  ['has another configured host name', { host: 'gateway' }],
  ['has the host localhost', { host: 'localhost:1' }],
  ['has a subdomain of localhost', { host: 'registry.localhost' }],
  ['has an IPv4 address as host', { host: '192.0.2.7:3000' }],
  ['has an IPv6 address as host', { host: '[::1]:3000' }],
  ['comes from a page of the service itself', { host: 'localhost:3000', origin: 'http://localhost:3000' }],
  ['comes from a page of a listed origin', { host: 'registry.example', origin: ORIGIN }],
])('with a list of origins, MCP accepts a request that %s', async (_, headers) => {
  expect((await sendMcp(named, 'POST', '/mcp', headers)).statusCode).toBe(200)
})

test('if the host names are not configured, only pages of another host are refused', async () => {
  const unknown = await createTestApp({ database: open.database, corsOrigins: [ORIGIN], hostNames: null })
  const own = { host: 'any.example', origin: 'https://any.example' }
  expect((await sendMcp(unknown, 'POST', '/mcp', { host: 'any.example' })).statusCode).toBe(200)
  expect((await sendMcp(unknown, 'POST', '/mcp', own)).statusCode).toBe(200)
  expect((await sendMcp(unknown, 'POST', '/mcp', { ...own, host: 'other.example' })).statusCode).toBe(403)
  await unknown.close()
})

test('with the origin *, MCP accepts every origin and host name, unless it is only for this machine', async () => {
  const headers = { host: 'rebound.example', origin: 'https://anybody.example' }
  const known = await createTestApp({
    baseUrl: 'https://registry.example',
    hostNames: ['gateway', 'registry.example'],
  })
  for (const [app, status] of [
    [known, 200],
    [open, 403],
  ] as const) {
    expect((await sendMcp(app, 'POST', '/mcp', headers)).statusCode).toBe(status)
    expect((await sendMcp(app, 'POST', '/mcp', { host: 'rebound.example' })).statusCode).toBe(status)
  }
  await known.close()
})
