import * as fc from '../../support/property.ts'
import { beforeAll, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { insertAgents, insertHistory, insertStakes, keyOf } from '../../support/factories.ts'
import { type RawResponse, request, sendRaw } from '../../support/raw-http.ts'

const t = useTestApp({ listens: true })
beforeAll(async () => {
  await insertAgents(t.kysely, ['Weather Scout', 'Trader'])
  await insertStakes(t.kysely, ['Trader'])
  await insertHistory(t.kysely, 'Trader', [{}])
})

const agent = keyOf('agent Trader')
const ROUTES = [
  '/agents',
  `/agents/${agent}`,
  `/agents/${agent}/history`,
  '/stakes',
  `/stakes/${keyOf('stake Trader')}`,
  `/agents/${agent}/credentials`,
  `/did/did:sol:${keyOf('owner Trader')}`,
  `/did/did:sol:${keyOf('owner Trader')}/document`,
  '/health',
  '/health/detailed',
  '/info',
  '/ready',
]
const NAMES = [
  'owner',
  'tier',
  'status',
  'category',
  'name',
  'min_reputation',
  'max_reputation',
  'include_mismatched',
  'sort',
  'order',
  'limit',
  'offset',
  'event_type',
  'type',
  'active',
  'agent_pda',
]
const VALUES = [
  '0',
  '1',
  '50',
  '200',
  '1000',
  '-1',
  '1e9',
  'true',
  'active',
  'inactive',
  'basic',
  'name',
  'asc',
  agent,
]

/** There is a response, not a 5xx, in JSON. An error has a text without internal details. */
function expectValid({ status, body, headers }: RawResponse): void {
  expect({ headers, body, valid: status >= 200 && status < 500 }).toMatchObject({ valid: true })
  if (status === 204 || body === '') return
  const parsed = JSON.parse(body) as { error?: string }
  if (status < 400) return
  expect(parsed.error).toMatch(/\S/)
  expect(body).not.toMatch(/at .*\.ts:\d+|node_modules|postgres|select /i)
}

const hex = fc.constantFrom(...Array.from('0123456789abcdefABCDEF'))
const encoded = fc.oneof(
  fc
    .string({ unit: 'binary' })
    .filter((text) => text.isWellFormed())
    .map(encodeURIComponent),
  fc.array(fc.tuple(hex, hex).map(([a, b]) => `%${a}${b}`)).map((bytes) => bytes.join('')),
  fc
    .string({ unit: fc.constantFrom(...Array.from('%=&+;,/?#[]{}\'"\\aZ0.')) })
    .map((text) => text.replaceAll('#', '%23')),
)
/** Bytes that can be part of a request line. */
const bytes = fc
  .uint8Array({ min: 1, maxLength: 60 })
  .map((array) => Buffer.from(array.filter((byte) => byte !== 10 && byte !== 13 && byte !== 32)))

const parameter = fc.tuple(
  fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...NAMES) }, encoded),
  fc.oneof(fc.constantFrom(...VALUES), encoded, fc.integer().map(String), fc.double().map(String)),
)
const queryText = fc
  .array(parameter, { maxLength: 5 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${value}`).join('&'))

test('any query string on any read route gets a valid response', async () => {
  expect.hasAssertions()
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ROUTES), queryText, async (route, text) => {
      expectValid(await sendRaw(t.port, request(`${route}?${text}`)))
    }),
    { numRuns: 1_000 },
  )
})

test('any bytes as query string, path segment or path get a valid response', async () => {
  expect.hasAssertions()
  const target = fc.oneof(
    fc
      .tuple(fc.constantFrom(...ROUTES), bytes)
      .map(([route, tail]) => Buffer.concat([Buffer.from(`${route}?`), tail])),
    fc
      .tuple(
        fc.constantFrom('/agents/', '/stakes/', '/did/'),
        bytes,
        fc.constantFrom('', '/history', '/document'),
      )
      .map(([head, segment, tail]) => Buffer.concat([Buffer.from(head), segment, Buffer.from(tail)])),
    bytes.map((tail) => Buffer.concat([Buffer.from('/'), tail])),
  )
  await fc.assert(
    fc.asyncProperty(target, async (each) => expectValid(await sendRaw(t.port, request(each)))),
    { numRuns: 500 },
  )
})

test('any method with any content type and body gets a response below 500', async () => {
  const method = fc.constantFrom(
    'GET',
    'HEAD',
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
  )
  const type = fc.constantFrom('application/json', 'text/plain', 'application/x-www-form-urlencoded', 'x', '')
  const route = fc.constantFrom(...ROUTES, '/graphql', '/nothing')
  await fc.assert(
    fc.asyncProperty(method, type, route, fc.uint8Array({ maxLength: 80 }), async (verb, mime, url, body) => {
      const head = `Content-Type: ${mime}\r\nContent-Length: ${body.length}\r\n\r\n`
      const { status } = await sendRaw(t.port, Buffer.concat([request(url, verb, head), Buffer.from(body)]))
      expect(status).toBeGreaterThanOrEqual(200)
      expect(status).toBeLessThan(500)
    }),
    { numRuns: 300 },
  )
})

test('input that is not HTTP is refused in JSON, and the service still works', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 20, maxLength: 200 }), async (garbage) => {
      const { status, body } = await sendRaw(
        t.port,
        Buffer.concat([Buffer.from('\u0001'), garbage, Buffer.from('\r\n\r\n')]),
      )
      expect(status).toBe(400)
      expect(JSON.parse(body)).toEqual({
        error: 'The request is not valid HTTP',
        details: { code: 'INVALID_REQUEST' },
      })
    }),
    { numRuns: 30 },
  )
  const headers = await sendRaw(t.port, request('/health', 'GET', `X-Long: ${'x'.repeat(20_000)}\r\n\r\n`))
  expect([headers.status, JSON.parse(headers.body)]).toEqual([
    431,
    { error: 'The request headers are too large', details: { code: 'HEADERS_TOO_LARGE' } },
  ])
  expect((await sendRaw(t.port, request('/health'))).status).toBe(200)
})

test.each([
  [
    'a missing Host header',
    'GET /health HTTP/1.1\r\nConnection: close\r\n\r\n',
    400,
    'The Host header is missing',
  ],
  [
    'an unknown expectation',
    'GET /health HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n',
    417,
    'Expect must be 100-continue, got "wonders"',
  ],
])(
  'a request that Node refuses without a body gets an error in JSON: %s',
  async (_, bytes, status, error) => {
    const response = await sendRaw(t.port, Buffer.from(bytes))
    expect([response.status, JSON.parse(response.body)]).toMatchObject([status, { error }])
  },
)

test('unencoded bytes beyond ASCII are refused', async () => {
  const { status, body } = await sendRaw(t.port, request(Buffer.from('/agents?name=Агент')))
  expect([status, JSON.parse(body)]).toEqual([
    400,
    {
      error: 'The request target must be ASCII. Percent-encode other characters',
      details: { code: 'INVALID_REQUEST' },
    },
  ])
})
