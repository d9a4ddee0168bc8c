import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'

const ORIGIN = 'https://app.example.org'
let open: TestApp
let listed: TestApp
beforeAll(async () => {
  open = await createTestApp()
  listed = await createTestApp({ corsOrigins: [ORIGIN] })
})
afterAll(async () => {
  await open.close()
  await listed.close()
})

const preflight = (t: TestApp, url: string, origin: string) =>
  t.app.inject({
    method: 'OPTIONS',
    url,
    headers: { origin, 'access-control-request-method': 'PATCH' },
  })

test.each(['/agents', '/graphql', '/relay/prepare', '/nowhere'])(
  'a page of any origin may call %s, and read what the answer says of limits',
  async (url) => {
    const asked = await preflight(open, url, 'https://anybody.example')
    expect(asked.statusCode).toBe(204)
    expect(asked.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': expect.stringContaining('PATCH'),
      'access-control-allow-headers': expect.stringContaining('x-wallet-signature'),
      'access-control-max-age': '600',
    })
    const answer = await open.app.inject({ url, headers: { origin: 'https://anybody.example' } })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('ratelimit-remaining'),
    })
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
  },
)

test('with a list, other origins are told nothing, and caches keep answers apart', async () => {
  const own = await listed.app.inject({ url: '/health', headers: { origin: ORIGIN } })
  expect(own.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'Origin' })
  expect((await preflight(listed, '/agents', ORIGIN)).statusCode).toBe(204)
  for (const origin of ['https://app.example.org.evil.example', 'http://app.example.org', 'null']) {
    const answer = await listed.app.inject({ url: '/health', headers: { origin } })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(answer.headers['vary']).toBe('Origin')
    const asked = await preflight(listed, '/agents', origin)
    expect(asked.headers['access-control-allow-methods']).toBeUndefined()
  }
})

test('OPTIONS that is no preflight still says which methods there are', async () => {
  const answer = await open.app.inject({ method: 'OPTIONS', url: '/agents' })
  expect(answer.statusCode).toBe(204)
  expect(answer.headers['allow']).toBe('GET, HEAD, OPTIONS')
})

test.each(['/agents', '/nowhere', '/graphql/schema.graphql', '/metrics', '/openapi.json'])(
  '%s may not be framed, sniffed or run',
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

test('the pages of /docs load nothing from elsewhere', async () => {
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
const speak = (t: TestApp, method: 'GET' | 'POST', url: string, headers: Record<string, string>) =>
  t.app.inject({
    method,
    url,
    headers: { accept: 'application/json, text/event-stream', ...headers },
    ...(method === 'POST' ? { payload: PING } : {}),
  })

describe.each(MCP)('with a list of origins, %s %s', (method, url) => {
  test.each(['https://rebound.example', 'null', 'http://rebound.example:3000'])(
    'is not for a page of %s, whatever it calls the service',
    async (origin) => {
      for (const host of ['127.0.0.1:3000', 'rebound.example:3000']) {
        const answer = await speak(listed, method, url, { origin, host })
        expect(answer.statusCode).toBe(403)
        expect(answer.json()).toEqual({ error: `The origin "${origin}" is not allowed to call this service` })
      }
    },
  )

  test.each(['rebound.example:3000', '127.0.0.1.rebound.example', 'localhost.example', '@'])(
    'is not for a page that has rebound %s and tells no origin',
    async (host) => {
      const answer = await speak(listed, method, url, { host })
      expect(answer.statusCode).toBe(403)
      expect(answer.json()).toEqual({
        error: `The host name "${host}" is not a name of this service (see BASE_URL)`,
      })
    },
  )
})

test.each([
  ['the name of BASE_URL', { host: 'registry.example' }],
  ['that with a port and a dot', { host: 'Registry.Example.:8080' }],
  ['another name that it was told', { host: 'gateway' }],
  ['localhost', { host: 'localhost:1' }],
  ['a name below it', { host: 'registry.localhost' }],
  ['an address', { host: '192.0.2.7:3000' }],
  ['an address of version 6', { host: '[::1]:3000' }],
  ['a page of its own', { host: 'localhost:3000', origin: 'http://localhost:3000' }],
  ['a page of the list', { host: 'registry.example', origin: ORIGIN }],
])('with a list of origins, MCP is for who calls by %s', async (_, headers) => {
  const known = await createTestApp({
    corsOrigins: [ORIGIN],
    baseUrl: 'https://registry.example',
    hostNames: ['gateway'],
  })
  expect((await speak(known, 'POST', '/mcp', headers)).statusCode).toBe(200)
  await known.close()
})

test('where its names are not known, only a page of another host is refused', async () => {
  const unknown = await createTestApp({ corsOrigins: [ORIGIN], hostNames: null })
  const own = { host: 'any.example', origin: 'https://any.example' }
  expect((await speak(unknown, 'POST', '/mcp', { host: 'any.example' })).statusCode).toBe(200)
  expect((await speak(unknown, 'POST', '/mcp', own)).statusCode).toBe(200)
  expect((await speak(unknown, 'POST', '/mcp', { ...own, host: 'other.example' })).statusCode).toBe(403)
  await unknown.close()
})

test('where any page may call, MCP is for all, by whatever name', async () => {
  const headers = { host: 'rebound.example', origin: 'https://anybody.example' }
  expect((await speak(open, 'POST', '/mcp', headers)).statusCode).toBe(200)
  expect((await speak(open, 'POST', '/mcp', { host: 'rebound.example' })).statusCode).toBe(200)
})
