import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { createRateLimitCounter } from '../../../src/db/rate-limit-counter.ts'
import { createRateLimits } from '../../../src/platform/rate-limits/rate-limits.ts'
import { createTestApp, FIXED_NOW, useTestApp } from '../../support/app.ts'
import { keyOf } from '../../support/factories.ts'
import { firstOf, openSocket } from '../../support/operation-socket.ts'
import { walletOf } from '../../support/wallet.ts'
import { MCP_HEADERS, toolCall } from '../../support/mcp.ts'

const LIMITS = {
  reads: 5,
  files: 5,
  prepare: 3,
  submit: 3,
  sponsoredPrepare: 2,
  register: 4,
  verify: 4,
  authenticated: 4,
  signIn: 4,
  sends: 4,
}
const t = useTestApp({ listens: true, rateLimits: LIMITS, clock: { now: () => now } })
let now = FIXED_NOW

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
    details: { code: 'RATE_LIMITED' },
  })
  expect((await agents('203.0.113.2')).statusCode).toBe(200)
  now += 12_000
  expect((await agents('203.0.113.1')).statusCode).toBe(200)
  expect((await agents('203.0.113.1')).statusCode).toBe(429)
})

test('a file of the documentation counts like five reads', async () => {
  const page = await t.app.inject({ url: '/docs', remoteAddress: '203.0.113.50' })
  const url = `/${/docs\/static\/\w+\.css/.exec(page.body)?.[0]}`
  const get = () => t.app.inject({ url, remoteAddress: '203.0.113.51' })
  const { statusCode, headers } = await get()
  expect([statusCode, headers['ratelimit-remaining']]).toEqual([200, '0'])
  expect((await get()).statusCode).toBe(429)
})

const graphql = (remoteAddress: string, query: string) =>
  t.app.inject({ method: 'POST', url: '/graphql', remoteAddress, payload: { query } })

test('GraphQL has the same limit: each root field costs a unit, and a refusal is 429 with a code and Retry-After', async () => {
  const send = (query: string) => graphql('203.0.113.3', query)
  const first = await send(
    '{ a: agents(first: 1) { nodes { pda } } b: agentsPage { total } c: stakes(first: 1) { nodes { pda } } d: info { name } }',
  )
  expect(first.json().errors).toBeUndefined()
  expect(first.headers['ratelimit-remaining']).toBe('1')
  const second = await send('{ a: agents(first: 1) { nodes { pda } } b: agentsPage { total } }')
  expect(second.json()).toEqual({
    errors: [
      {
        message: 'Too many requests: the limit is 5 per minute. Try again in 12 s',
        extensions: { code: 'RATE_LIMITED', status: 429 },
      },
    ],
  })
  expect(second.statusCode).toBe(429)
  expect(second.headers).toMatchObject({ 'retry-after': '12', 'ratelimit-remaining': '0' })
  expect((await agents('203.0.113.3')).statusCode).toBe(429)
})

test('an operation that costs more than the whole limit is refused with its cost', async () => {
  const answer = await graphql(
    '203.0.113.20',
    '{ agents(first: 200) { nodes { pda stake { pda owner } name owner tier createdAt updatedAt } } }',
  )
  expect(answer.statusCode).toBe(400)
  expect(answer.json()).toEqual({
    errors: [
      {
        message: 'The operation costs 6 units, more than the limit of 5 per minute',
        extensions: { code: 'REQUEST_TOO_EXPENSIVE', status: 400 },
      },
    ],
  })
})

test('a fee estimate for accounts costs ten units, because a node answers it, and one without accounts costs one', async () => {
  const estimate = (remoteAddress: string, accountKeys: string[]) =>
    t.app.inject({ method: 'POST', url: '/relay/estimate-fees', payload: { accountKeys }, remoteAddress })
  const refused = await estimate('192.0.2.201', [keyOf('account')])
  expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining('costs 10 units')])
  expect((await estimate('192.0.2.202', [])).headers['ratelimit-remaining']).toBe('4')
})

let address = 0

test('a search costs five units in REST and GraphQL', async () => {
  const left = ({ headers }: { headers: object }) => Reflect.get(headers, 'ratelimit-remaining') as unknown
  expect(left(await t.app.inject({ url: '/agents?name=x', remoteAddress: '203.0.113.21' }))).toBe('0')
  expect(left(await graphql('203.0.113.22', '{ agents(filter: { name: "x" }) { nodes { pda } } }'))).toBe('0')
  expect(left(await graphql('203.0.113.23', '{ agents(filter: { tier: BASIC }) { nodes { pda } } }'))).toBe(
    '4',
  )
})

test.each([
  ['/agents?min_reputation=0', '0'],
  ['/agents?max_reputation=5', '0'],
  ['/agents?tier=basic&offset=15000', '1'],
  ['/stakes?offset=20000', '0'],
  ['/stakes?offset=4999', '4'],
  [`/agents/${'1'.repeat(32)}/history?offset=5000`, '3'],
])('%s leaves %s of five units', async (url, left) => {
  const { headers } = await t.app.inject({ url, remoteAddress: `203.0.114.${(address += 1)}` })
  expect(headers['ratelimit-remaining']).toBe(left)
})

test('an offset in the deliveries of a webhook costs units, too', async () => {
  const url = '/webhooks/x/deliveries'
  const headers = walletOf('a').headers('GET', url, now)
  const list = { url: `${url}?offset=10000`, headers, remoteAddress: '203.0.115.1' }
  expect((await t.app.inject(list)).headers['ratelimit-remaining']).toBe('2')
})

test('a refused search reports when it would be allowed and what is left, and a cheaper request is allowed', async () => {
  const get = (url: string) => t.app.inject({ url, remoteAddress: '203.0.113.25' })
  for (let i = 0; i < 2; i++) await get('/agents')
  const { statusCode, headers } = await get('/agents?name=x')
  expect(statusCode).toBe(429)
  // The two requests cost a unit each, and the refused one its first.
  expect(headers).toMatchObject({ 'ratelimit-remaining': '2', 'retry-after': '24', 'ratelimit-reset': '24' })
  expect((await get('/agents')).statusCode).toBe(200)
})

test('the headers of a refusal show the limit that refused, also if another has fewer units left', async () => {
  const list = (name: string, query = '') => {
    const url = '/webhooks/x/deliveries'
    const headers = walletOf(name).headers('GET', url, now)
    return t.app.inject({ url: url + query, headers, remoteAddress: '203.0.115.2' })
  }
  for (const name of ['b', 'c', 'd']) expect((await list(name)).headers['ratelimit-limit']).toBe('4')
  const { statusCode, headers } = await list('e', '?offset=10000')
  expect(statusCode).toBe(429)
  expect(headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '1', 'retry-after': '12' })
})

test.each([
  ['an unknown path', { url: '/nowhere' }],
  ['a wrong method', { url: '/agents', method: 'PUT' }],
  ['a body that is not JSON', { url: '/relay/prepare', method: 'POST', payload: '{' }],
  ['the OpenAPI document', { url: '/openapi.json' }],
  ['the page of the OpenAPI document', { url: '/docs' }],
  ['the SDL', { url: '/graphql/schema.graphql' }],
  ['GraphiQL', { url: '/graphql', headers: { accept: 'text/html' } }],
  ['a document with a syntax error', { url: '/graphql?query={' }],
  ['an invalid document', { url: '/graphql?query={x}' }],
  ['__typename', { url: '/graphql?query={__typename}' }],
  [
    'an unknown persisted document',
    {
      url: `/graphql?extensions=${encodeURIComponent(JSON.stringify({ persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } }))}`,
    },
  ],
  [
    'a message to an MCP session that does not exist',
    { url: '/mcp/messages?sessionId=x', method: 'POST', payload: {} },
  ],
] as const)('the sixth request for %s is 429, and nothing is done for it', async (_, request) => {
  const remoteAddress = `198.51.100.${(address += 1)}`
  const send = () =>
    t.app.inject({
      ...request,
      remoteAddress,
    })
  for (let i = 0; i < 5; i += 1) expect((await send()).statusCode).not.toBe(429)
  const refused = await send()
  expect(refused.statusCode).toBe(429)
  expect(refused.headers['retry-after']).toBe('12')
})

test('the length of a document costs units before it is parsed', async () => {
  const answer = await graphql('203.0.113.24', `{ x${' '.repeat(6_000)}`)
  expect(answer.json()).toMatchObject({ errors: [{ extensions: { code: 'REQUEST_TOO_EXPENSIVE' } }] })
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
  const queries = fields.map((field) => field.replace(/deleteWebhook.*/, 'webhooks { totalCount }'))
  now += 60_000
  const limited = (await send(`{ ${queries.join(' ')} }`)).json<Refusals>()
  expect(limited.errors.map(({ extensions }) => extensions.code)).toContain('RATE_LIMITED')
})

test('each MCP message counts as a read, protocol messages too; a submit also counts as a submit', async () => {
  const send = (method: string, params: object = {}) =>
    fetch(`${t.url}/mcp`, {
      method: 'POST',
      headers: MCP_HEADERS,
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const messages = ['ping', 'tools/list', 'nope', 'ping', 'tools/call'].map((method) => send(method))
  expect((await Promise.all(messages)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  const refused = await send('ping')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('12')
  expect((await fetch(`${t.url}/mcp/sse`)).status).toBe(429)

  now += 60_000
  const codes = []
  for (let sent = 0; sent <= LIMITS.submit; sent += 1) {
    const answer = await send('tools/call', {
      name: 'submit_transaction',
      arguments: { id: 'none', signedTx: 'AA==' },
    })
    const { result } = (await answer.json()) as { result: { _meta: { code: string } } }
    codes.push(result._meta.code)
  }
  expect(codes.map((code) => code === 'RATE_LIMITED')).toEqual([false, false, false, true])
})

test('each operation on a WebSocket costs its units; a refusal is an error of the operation', async () => {
  now += 60_000
  // The upgrade costs one unit too, and messages cost parts of one.
  const socket = await openSocket(t.url)
  const [first, second, third] = [
    await firstOf(socket, '{ __typename }'),
    await firstOf(socket, '{ a: agentsPage { total } b: agentsPage { total } }'),
    await firstOf(socket, '{ __typename }'),
  ]
  await socket.dispose()
  expect(first).toContain('"__typename":"Query"')
  expect(second).toContain('"total":0')
  expect(JSON.parse(third)).toMatchObject([
    {
      message: expect.stringContaining('Too many requests'),
      extensions: { code: 'RATE_LIMITED', status: 429 },
    },
  ])
  now += 60_000
  const next = await openSocket(t.url)
  await firstOf(next, '{ a: agentsPage { total } b: agentsPage { total } }')
  const refused = JSON.parse(await firstOf(next, '{ a: info { name } b: info { name } }')) as unknown
  expect(refused).toMatchObject({
    value: { errors: [{ extensions: { code: 'RATE_LIMITED', status: 429 } }] },
  })
  expect(JSON.stringify(refused)).not.toContain('retry-after')
  await next.dispose()
})

test('a search by name costs five units in MCP', async () => {
  now += 60_000
  const lookUp = async (query: string) => {
    const answer = await fetch(`${t.url}/mcp`, {
      method: 'POST',
      headers: MCP_HEADERS,
      body: JSON.stringify(toolCall('lookup_agent', { query })),
    })
    return answer.text()
  }
  expect(await lookUp(keyOf('agent'))).not.toContain('RATE_LIMITED')
  expect(await lookUp('Ada')).toContain('RATE_LIMITED')
  now += 60_000
  expect(await lookUp('Ada')).not.toContain('RATE_LIMITED')
})

test('health and readiness are never counted', async () => {
  for (let i = 0; i < 8; i++) {
    const answer = await t.app.inject({ url: '/health', remoteAddress: '203.0.113.4' })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['ratelimit-limit']).toBeUndefined()
  }
})

test('each kind has its own count', async () => {
  const submit = () =>
    t.app.inject({ method: 'POST', url: '/relay/submit', remoteAddress: '203.0.113.5', payload: {} })
  const statuses = []
  for (let i = 0; i < 4; i++) statuses.push((await submit()).statusCode)
  expect(statuses).toEqual([400, 400, 400, 429])
  expect((await agents('203.0.113.5')).statusCode).toBe(200)
})

const PREPARATIONS: [string, object][] = [
  ['/relay/prepare', {}],
  ['/relay/prepare/sponsored', {}],
  ['/relay/prepare/close-agent', { ownerPubkey: keyOf('owner') }],
  ['/sponsor/register', {}],
  [
    '/graphql',
    { query: `mutation { prepareCloseAgent(input: { ownerPubkey: "${keyOf('owner')}" }) { id } }` },
  ],
]

test.each(PREPARATIONS)('a preparation costs three units: %s', async (url, payload) => {
  const remoteAddress = `203.0.116.${(address += 1)}`
  await t.app.inject({ method: 'POST', url, remoteAddress, payload })
  expect((await agents(remoteAddress)).headers['ratelimit-remaining']).toBe('1')
})

test('a preparation costs three units in MCP, and a list of agents two', async () => {
  const call = async (remoteAddress: string, name: string, args: object) => {
    const headers = MCP_HEADERS
    const payload = toolCall(name, args)
    const { body } = await t.app.inject({ method: 'POST', url: '/mcp', headers, remoteAddress, payload })
    expect(body).not.toContain('RATE_LIMITED')
    return (await agents(remoteAddress)).headers['ratelimit-remaining']
  }
  const owner = { ownerPubkey: keyOf('owner') }
  expect(await call('203.0.117.1', 'prepare_close_agent', owner)).toBe('1')
  expect(await call('203.0.117.2', 'list_agents', {})).toBe('2')
})

const OWNER = { ownerPubkey: keyOf('owner') }
const AGENT = {
  name: 'Scout',
  serviceCategory: 'research',
  agentCardUrl: 'https://agents.example/card.json',
  agentCardHash: '0'.repeat(64),
}
test.each<[string, object, 'sponsoredPrepare' | 'register']>([
  ['', { instructions: [], signerPubkeys: [], sponsored: true }, 'sponsoredPrepare'],
  ['/suspend-agent', { ...OWNER, sponsored: true }, 'sponsoredPrepare'],
  ['/register-agent', { ...OWNER, ...AGENT, inviteCode: 'none' }, 'register'],
])('POST /relay/prepare%s counts what the service may pay for', async (path, payload, kind) => {
  const other = await createTestApp({
    rateLimits: { ...LIMITS, reads: 100, prepare: 100 },
    clock: { now: () => now },
    database: t.database,
  })
  const remoteAddress = `203.0.113.${150 + path.length}`
  const prepare = () =>
    other.app.inject({ method: 'POST', url: `/relay/prepare${path}`, remoteAddress, payload })
  const statuses = []
  for (let i = 0; i < 8; i++) statuses.push((await prepare()).statusCode)
  expect(statuses.indexOf(429)).toBe(LIMITS[kind])
  await other.close()
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

test('a request that waits for another one of its client is counted at the time at which it is counted', async () => {
  const count = createRateLimitCounter(t.kysely)
  const client = '2001:db8::8'
  await count('verify', client, 2)
  const { waiting } = await t.kysely.transaction().execute(async (tx) => {
    const row = sql`kind = 'verify' and client = ${client}`
    await sql`select from rate_limits where ${row} for update`.execute(tx)
    const second = count('verify', client, 2)
    const isWaiting = sql<{ count: number }>`
      select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and query like '%rate_limits%'`
    await expect.poll(async () => (await isWaiting.execute(t.kysely)).rows[0]!.count).toBe(1)
    // The first one was counted after the second one began.
    const now = sql`extract(epoch from clock_timestamp()) * 1000`
    await sql`update rate_limits set arrival = ${now} + 30000 where ${row}`.execute(tx)
    return { waiting: second }
  })
  expect(await waiting).toMatchObject({ allowed: true, remaining: 0 })
  expect(await count('verify', client, 2)).toMatchObject({ allowed: false })
})
