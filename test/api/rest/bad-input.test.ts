import { describe, expect, test } from 'vitest'
import { useTestApp } from '../../support/app.ts'
import { keyOf } from '../../support/factories.ts'
import { refused, responseOf } from '../../support/refusal.ts'

const t = useTestApp()

const KEY = keyOf('somebody')
const AGENT_PARAMETERS =
  'owner, tier, status, category, name, min_reputation, max_reputation, include_mismatched, sort, order, limit, offset'

async function refusal(url: string): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await t.app.inject(url)
  expect(response.headers['content-type']).toBe('application/json; charset=utf-8')
  return responseOf(response)
}

describe('invalid input is 400 with a text that names the parameter', () => {
  test.each([
    ['/agents?limit=0', 'limit must be an integer from 1 to 200, got "0"'],
    ['/agents?limit=201', 'limit must be an integer from 1 to 200, got "201"'],
    ['/agents?limit=', 'limit must be an integer from 1 to 200, got ""'],
    ['/agents?limit', 'limit must be an integer from 1 to 200, got ""'],
    ['/agents?limit=+5', 'limit must be an integer from 1 to 200, got " 5"'],
    ['/agents?offset=-1', 'offset must be an integer from 0 to 2147483647, got "-1"'],
    ['/agents?offset=2147483648', 'offset must be an integer from 0 to 2147483647, got "2147483648"'],
    ['/agents?min_reputation=-1', 'min_reputation must be an integer from 0 to 1000, got "-1"'],
    ['/agents?max_reputation=1001', 'max_reputation must be an integer from 0 to 1000, got "1001"'],
    [
      '/agents?min_reputation=7&max_reputation=6',
      'min_reputation must not be greater than max_reputation, got 7 and 6',
    ],
    ['/agents?owner=abc', 'owner must be a base-58 public key of 32 bytes, got "abc"'],
    ['/agents?owner=', 'owner must be a base-58 public key of 32 bytes, got ""'],
    [`/agents?owner=${KEY}1`, `owner must be a base-58 public key of 32 bytes, got "${KEY}1"`],
    [
      `/agents?owner=${'1'.repeat(33)}`,
      `owner must be a base-58 public key of 32 bytes, got "${'1'.repeat(33)}"`,
    ],
    ['/agents?tier=gold', 'tier must be one of observer, basic, standard, premium, got "gold"'],
    ['/agents?include_mismatched=1', 'include_mismatched must be true or false, got "1"'],
    ['/agents?sort=age', 'sort must be one of reputation, created_at, name, got "age"'],
    ['/agents?name=', 'name must have 1 to 64 characters, got ""'],
    [`/agents?name=${'n'.repeat(65)}`, `name must have 1 to 64 characters, got "${'n'.repeat(64)}…"`],
    ['/agents?name=a%00b', 'name must not contain control characters, got "a\\u0000b"'],
    ['/agents?name=a%1B%5B31m', 'name must not contain control characters, got "a\\u001b[31m"'],
    ['/agents?name=%FF', 'name must be percent-encoded UTF-8, got "%FF"'],
    ['/agents?name=%C0%80', 'name must be percent-encoded UTF-8, got "%C0%80"'],
    ['/agents?name=%ED%A0%80', 'name must be percent-encoded UTF-8, got "%ED%A0%80"'],
    ['/agents?name=%', 'name must be percent-encoded UTF-8, got "%"'],
    ['/agents?name=%zz', 'name must be percent-encoded UTF-8, got "%zz"'],
    ['/agents?%FF=1', 'A parameter name must be percent-encoded UTF-8, got "%FF"'],
    ['/agents?colour=red', `Unknown parameter "colour". Known parameters: ${AGENT_PARAMETERS}`],
    ['/agents?=1', `Unknown parameter "". Known parameters: ${AGENT_PARAMETERS}`],
    ['/agents?__proto__=1', `Unknown parameter "__proto__". Known parameters: ${AGENT_PARAMETERS}`],
    ['/agents?limit[]=1', `Unknown parameter "limit[]". Known parameters: ${AGENT_PARAMETERS}`],
    ['/agents?Limit=1', `Unknown parameter "Limit". Known parameters: ${AGENT_PARAMETERS}`],
    ['/agents?limit=1&limit=1', 'limit must occur once, got 2 values'],
    ['/agents?name=a&lim%69t=1&limit=2&limit=3', 'limit must occur once, got 3 values'],
    ['/agents/', 'pda must be a base-58 public key of 32 bytes, got ""'],
    ['/agents/abc', 'pda must be a base-58 public key of 32 bytes, got "abc"'],
    ['/agents/%00', 'pda must be a base-58 public key of 32 bytes, got "\\u0000"'],
    ['/agents/%FF', 'The path must be percent-encoded UTF-8, got "/agents/%FF"'],
    [`/agents/${'x'.repeat(500)}`, `pda must be a base-58 public key of 32 bytes, got "${'x'.repeat(64)}…"`],
    [`/agents/${KEY}?x=1`, 'Unknown parameter "x". Known parameters: none'],
    ['/agents/abc/history', 'pda must be a base-58 public key of 32 bytes, got "abc"'],
    [
      `/agents/${KEY}/history?event_type=x`,
      'event_type must be one of reputation_updated, tier_updated, status_changed, metadata_updated, got "x"',
    ],
    [`/agents/${KEY}/history?limit=201`, 'limit must be an integer from 1 to 200, got "201"'],
    [
      `/agents/${KEY}/history?type=x`,
      'Unknown parameter "type". Known parameters: event_type, limit, offset',
    ],
    ['/stakes?agent_pda=x', 'agent_pda must be a base-58 public key of 32 bytes, got "x"'],
    ['/stakes?owner=x', 'owner must be a base-58 public key of 32 bytes, got "x"'],
    ['/stakes?limit=x', 'limit must be an integer from 1 to 200, got "x"'],
    ['/stakes?tier=x', 'Unknown parameter "tier". Known parameters: owner, agent_pda, limit, offset'],
    ['/stakes/x', 'pda must be a base-58 public key of 32 bytes, got "x"'],
    ['/health/detailed?x', 'Unknown parameter "x". Known parameters: none'],
  ])('%s', async (url, error) => {
    expect(await refusal(url)).toMatchObject({ status: 400, body: { error } })
  })

  test('details contain the stable code and the parameter name of the route', async () => {
    expect((await refusal('/agents?min_reputation=x')).body.details).toEqual({
      code: 'INVALID_INTEGER',
      parameter: 'min_reputation',
    })
  })
})

describe('paths and methods', () => {
  test.each([
    '/docs/nothing',
    '/docs/static/nothing.js',
    '/docs/static/..%2F..%2Fpackage.json',
    '/docs/static/%00',
  ])('%s is 404, also in the folder of static files', async (url) => {
    expect(await refusal(url)).toEqual(refused(404, 'PATH_NOT_FOUND', `Not found: ${url}`))
  })

  test.each(['/agent', `/agents/${KEY}/`, `/agents/${KEY}/nothing`, '/AGENTS', '/health/x'])(
    '%s is an unknown path: 404',
    async (url) => {
      expect(await refusal(url)).toEqual(refused(404, 'PATH_NOT_FOUND', `Not found: ${url}`))
    },
  )

  test.each([
    ['/agents', 'POST'],
    ['/agents', 'DELETE'],
    [`/agents/${KEY}`, 'PUT'],
    [`/agents/${KEY}/history`, 'PATCH'],
    ['/stakes', 'POST'],
    ['/health', 'TRACE'],
    ['/info', 'PROPFIND'],
  ])('%s refuses %s with 405 and the allowed methods', async (url, method) => {
    const response = await t.app.inject({ url, method: method as 'POST' })
    expect(response.statusCode).toBe(405)
    expect(response.headers.allow).toBe('GET, HEAD, OPTIONS')
    expect(response.json()).toEqual({
      error: `${method} is not allowed here. Allowed methods: GET, HEAD, OPTIONS`,
      details: { code: 'METHOD_NOT_ALLOWED' },
    })
  })

  test('405 is sent before the body is read', async () => {
    const response = await t.app.inject({
      url: '/agents',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      payload: '{broken',
    })
    expect(response.statusCode).toBe(405)
  })

  test('OPTIONS returns the allowed methods, and HEAD the headers of GET', async () => {
    const options = await t.app.inject({ url: '/agents', method: 'OPTIONS' })
    expect([options.statusCode, options.headers.allow]).toEqual([204, 'GET, HEAD, OPTIONS'])
    const [head, get] = await Promise.all(
      (['HEAD', 'GET'] as const).map((method) => t.app.inject({ url: '/agents', method })),
    )
    expect([head?.statusCode, head?.body]).toEqual([200, ''])
    expect(head?.headers['content-length']).toBe(get?.headers['content-length'])
  })
})

test('the request id is returned; a valid id of the client is kept, any other is replaced', async () => {
  const id = async (given?: string): Promise<unknown> =>
    (await t.app.inject({ url: '/health', headers: given === undefined ? {} : { 'x-request-id': given } }))
      .headers['x-request-id']
  expect(await id('trace-1')).toBe('trace-1')
  expect(await id()).toMatch(/^[0-9a-f-]{36}$/)
  expect(await id('two words')).toMatch(/^[0-9a-f-]{36}$/)
})
