import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRateLimitCounter } from '../../../src/db/rate-limit-counter.ts'
import { createRateLimits } from '../../../src/platform/rate-limits/rate-limits.ts'
import { createTestApp, FIXED_NOW, type TestApp } from '../../support/app.ts'
import { walletOf } from '../../support/wallet.ts'

const LIMITS = {
  reads: 5,
  prepare: 6,
  submit: 3,
  sponsoredPrepare: 4,
  register: 4,
  verify: 4,
  authenticated: 4,
}
let t: TestApp
let now = FIXED_NOW
beforeAll(async () => {
  t = await createTestApp({ rateLimits: LIMITS, clock: { now: () => now } })
})
afterAll(() => t.close())

const agents = (remoteAddress: string) => t.app.inject({ url: '/agents?limit=1', remoteAddress })

test('reads: responses report the remaining requests; over the limit is 429 with Retry-After, until time passes', async () => {
  const answers = []
  for (let i = 0; i < 6; i++) answers.push(await agents('203.0.113.1'))
  expect(answers.map((answer) => answer.statusCode)).toEqual([200, 200, 200, 200, 200, 429])
  expect(answers.map((answer) => answer.headers['ratelimit-remaining'])).toEqual([
    '4',
    '3',
    '2',
    '1',
    '0',
    '0',
  ])
  expect(answers[0]!.headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-reset': '12' })
  expect(answers[5]!.headers['retry-after']).toBe('12')
  expect(answers[5]!.json()).toEqual({
    error: 'Too many requests: the limit is 5 per minute. Try again in 12 s',
  })
  expect((await agents('203.0.113.2')).statusCode).toBe(200)
  now += 12_000
  expect((await agents('203.0.113.1')).statusCode).toBe(200)
  expect((await agents('203.0.113.1')).statusCode).toBe(429)
})

test('GraphQL has the same limit: each root field counts, and a refusal has a code', async () => {
  const send = (query: string) =>
    t.app.inject({ method: 'POST', url: '/graphql', remoteAddress: '203.0.113.3', payload: { query } })
  const first = await send('{ a: agents { total } b: agents { total } c: stakes { total } d: info { name } }')
  expect(first.json().errors).toBeUndefined()
  expect(first.headers['ratelimit-remaining']).toBe('1')
  const second = await send('{ a: agents { total } b: agents { total } }')
  expect(second.json().errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED', status: 429 } }])
  expect((await agents('203.0.113.3')).statusCode).toBe(429)
  // Introspection is not counted.
  expect((await send('{ __schema { queryType { name } } }')).json().errors).toBeUndefined()
})

interface Refusals {
  errors: { extensions: { code: string } }[]
}

test('one signature does not raise the limit: each root field with wallet authentication counts', async () => {
  const send = (query: string) =>
    t.app.inject({
      method: 'POST',
      url: '/graphql',
      remoteAddress: '203.0.113.40',
      headers: walletOf('many fields').headers('POST', '/graphql', now),
      payload: { query },
    })
  const fields = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}: deleteWebhook(id: "x") { deleted }`)
  const answer = (await send(`mutation { ${fields.join(' ')} }`)).json<Refusals>()
  // The first error ends the operation, because the field is not nullable.
  expect(answer.errors.map(({ extensions }) => extensions.code)).toContain('WEBHOOK_NOT_FOUND')
  now += 1_000
  const queries = fields.map((field) => field.replace(/deleteWebhook.*/, 'webhooks { id }'))
  const limited = (await send(`{ ${queries.join(' ')} }`)).json<Refusals>()
  expect(limited.errors.map(({ extensions }) => extensions.code)).toContain('RATE_LIMITED')
})

test('each MCP message counts as a read, protocol messages too; a submit also counts as a submit', async () => {
  const url = await t.app.listen({ port: 0, host: '127.0.0.1' })
  const send = (method: string, params: object = {}) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const messages = ['ping', 'tools/list', 'nope', 'ping', 'tools/call'].map((method) => send(method))
  expect((await Promise.all(messages)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const refused = await send('ping')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('12')
  expect((await fetch(`${url}/mcp/sse`)).status).toBe(429)

  now += 60_000
  const codes = []
  for (let sent = 0; sent <= LIMITS.submit; sent += 1) {
    const answer = await send('tools/call', {
      name: 'submit_transaction',
      arguments: { txId: 'none', signedTx: 'AA==' },
    })
    const { result } = (await answer.json()) as { result: { _meta: { code: string } } }
    codes.push(result._meta.code)
  }
  expect(codes.map((code) => code === 'RATE_LIMITED')).toEqual([false, false, false, true])
})

test('health and readiness are never counted', async () => {
  for (let i = 0; i < 8; i++) {
    const answer = await t.app.inject({ url: '/health', remoteAddress: '203.0.113.4' })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['ratelimit-limit']).toBeUndefined()
  }
})

test('each kind has its own count', async () => {
  const prepare = () =>
    t.app.inject({ method: 'POST', url: '/relay/prepare', remoteAddress: '203.0.113.5', payload: {} })
  const statuses = []
  for (let i = 0; i < 7; i++) statuses.push((await prepare()).statusCode)
  expect(statuses).toEqual([400, 400, 400, 400, 400, 400, 429])
  expect((await agents('203.0.113.5')).statusCode).toBe(200)
})

test('a sponsored prepare counts as one through POST /relay/prepare too', async () => {
  const prepare = () =>
    t.app.inject({
      method: 'POST',
      url: '/relay/prepare',
      remoteAddress: '203.0.113.6',
      payload: { instructions: [], signerPubkeys: [], sponsored: true },
    })
  const statuses = []
  for (let i = 0; i < 5; i++) statuses.push((await prepare()).statusCode)
  expect(statuses.indexOf(429)).toBe(LIMITS.sponsoredPrepare)
})

test('limits counted in the database hold across replicas and concurrent requests', async () => {
  const replicas = [0, 1].map(() =>
    createRateLimits({
      sharedCounter: createRateLimitCounter(t.kysely),
      clock: { now: () => 0 },
      limits: { ...LIMITS, register: 4 },
    }),
  )
  const results = await Promise.allSettled(
    Array.from({ length: 60 }, (_, i) => (async () => replicas[i % 2]!.count('register', '2001:db8::7'))()),
  )
  const refused = results.filter((each) => each.status === 'rejected')
  expect(results.length - refused.length).toBe(4)
  for (const { reason } of refused) {
    expect(reason).toMatchObject({ code: 'RATE_LIMITED' })
    expect(reason.retryAfterSeconds).toBeGreaterThan(10)
    expect(reason.retryAfterSeconds).toBeLessThanOrEqual(15)
  }
  await expect(replicas[0]!.count('verify', '2001:db8::7')).resolves.toBeUndefined()
})
