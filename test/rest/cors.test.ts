import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../support/app.ts'

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
  expect(own.headers).toMatchObject({ 'access-control-allow-origin': ORIGIN, vary: 'origin' })
  expect((await preflight(listed, '/agents', ORIGIN)).statusCode).toBe(204)
  for (const origin of ['https://app.example.org.evil.example', 'http://app.example.org', 'null']) {
    const answer = await listed.app.inject({ url: '/health', headers: { origin } })
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(answer.headers['vary']).toBe('origin')
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

test.each([
  ['POST', '/mcp'],
  ['GET', '/mcp/sse'],
  ['POST', '/mcp/messages'],
] as const)('a page of another origin may not speak MCP: %s %s', async (method, url) => {
  const origin = 'https://rebound.example'
  const ping = method === 'POST' ? { payload: { jsonrpc: '2.0', id: 1, method: 'ping' } } : {}
  const answer = await listed.app.inject({ method, url, headers: { origin }, ...ping })
  expect(answer.statusCode).toBe(403)
  expect(answer.json()).toEqual({ error: `Pages of "${origin}" may not call this service` })
})
