import { sql } from 'kysely'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import {
  createAppOfTest,
  NO_LEDGER,
  type TestApp,
  type TestAppOptions,
  useTestApp,
} from '../../support/app.ts'
import { agentRow, insertAgents, insertHistory, insertStakes, keyOf } from '../../support/factories.ts'
import { createTestDatabase } from '../../support/database.ts'
import { createTestRegistry } from '../../support/registry.ts'

const agent = `/agents/${keyOf('agent One')}`

const t = useTestApp({ ledger: NO_LEDGER })
beforeEach(async () => {
  for (const table of ['agents', 'stakes', 'agent_history', 'ledger_events'] as const)
    await t.kysely.deleteFrom(table).execute()
  await insertAgents(t.kysely, ['One', agentRow('Two', { name: 'Twö' })])
  await insertStakes(t.kysely, ['One'])
  await insertHistory(t.kysely, 'One', [{}])
})

/** Another app, on the same rows unless it has a database of its own. */
async function another(options: Partial<TestAppOptions>): Promise<TestApp> {
  const app = await createAppOfTest({ ledger: NO_LEDGER, database: t.database, ...options })
  return app
}

const get = (url: string, headers: Record<string, string> = {}, { app } = t) => app.inject({ url, headers })
const tagOf = async (url: string, from = t): Promise<string> =>
  String((await get(url, {}, from)).headers['etag'])

const EDITS: Record<string, ReturnType<typeof sql>> = {
  agents: sql`update agents set name = 'Edited'`,
  stakes: sql`update stakes set locked_amount = 7`,
  history: sql`update agent_history set new_value = 'edited'`,
  nothing: sql`truncate rate_limits`,
}

test.each([
  ['/agents', ['agents']],
  ['/agents?name=One', ['agents']],
  [agent, ['agents']],
  [`${agent}/history`, ['history']],
  [`${agent}/credentials`, []],
  ['/stakes', ['stakes']],
  [`/stakes/${keyOf('stake One')}`, ['stakes']],
  [`/did/did:sol:${keyOf('owner One')}`, ['agents']],
  [`/did/did:sol:${keyOf('owner One')}/document`, []],
])('the tag of %s changes only with the body: after edits of %j', async (url, edits) => {
  let before = await get(url)
  expect(before.statusCode).toBe(200)
  expect(before.headers['cache-control']).toBe('no-cache')
  for (const [name, edit] of Object.entries(EDITS)) {
    await edit.execute(t.kysely)
    const after = await get(url)
    expect({ name, changed: after.body !== before.body }).toEqual({ name, changed: edits.includes(name) })
    expect(after.headers['etag'] === before.headers['etag']).toBe(!edits.includes(name))
    before = after
  }
})

test('equal bodies have equal tags in two processes, from memory and from PostgreSQL', async () => {
  const urls = ['/agents', agent, '/stakes', `${agent}/history`, `/did/did:sol:${keyOf('owner One')}`]
  const registry = await createTestRegistry(t.database)
  for (const other of [await another({ registry }), await another({ registry: databaseReader })])
    for (const url of urls) {
      const [one, two] = [await get(url), await other.app.inject(url)]
      expect(two.body).toBe(one.body)
      expect({ url, tag: two.headers['etag'] }).toEqual({ url, tag: one.headers['etag'] })
    }
  await registry.stop()
})

test('equal requests at the same time have one tag, also right after a change', async () => {
  const tags = async (): Promise<Set<string>> =>
    new Set(await Promise.all(Array.from({ length: 40 }, () => tagOf('/agents'))))
  const before = await tags()
  await EDITS['agents']!.execute(t.kysely)
  const after = await tags()
  expect([before.size, after.size, before.union(after).size]).toEqual([1, 1, 2])
})

describe('If-None-Match', () => {
  test.each<[string, (tag: string) => string]>([
    ['the tag', (tag) => tag],
    ['the tag as a weak tag', (tag) => `W/${tag}`],
    ['a list that contains the tag', (tag) => `"a,b", W/"c" ,${tag}`],
    ['*', () => '*'],
  ])('with %s: 304 without a body', async (_, header) => {
    const given = header(await tagOf('/agents'))
    for (const method of ['GET', 'HEAD'] as const) {
      const answer = await t.app.inject({ method, url: '/agents', headers: { 'if-none-match': given } })
      expect({ status: answer.statusCode, body: answer.body }).toEqual({ status: 304, body: '' })
      expect(answer.headers).toMatchObject({
        etag: await tagOf('/agents'),
        'cache-control': 'no-cache',
        'x-request-id': expect.any(String),
        'access-control-allow-origin': '*',
      })
      // A 304 has no Content-Length, or that of the 200 (RFC 9110, section 8.6).
      const length = method === 'HEAD' ? (await get('/agents')).headers['content-length'] : undefined
      expect(answer.headers['content-length']).toBe(length)
    }
  })

  test.each<[string, (tag: string) => string]>([
    ['another tag', () => '"x"'],
    ['a part of the tag', (tag) => `${tag.slice(0, -2)}"`],
    ['the tag without quotes', (tag) => tag.slice(1, -1)],
    ['an empty header', () => ''],
    ['the tag without its closing quote', (tag) => tag.slice(0, -1)],
  ])('with %s: the full response', async (_, header) => {
    const answer = await get('/agents', { 'if-none-match': header(await tagOf('/agents')) })
    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({ total: 2 })
  })

  test('the tag stays valid until a change that is visible in the response', async () => {
    const before = await tagOf(agent)
    await sql`update agents set slot = slot + 1`.execute(t.kysely)
    expect((await get(agent, { 'if-none-match': before })).statusCode).toBe(304)
    await EDITS['agents']!.execute(t.kysely)
    expect((await get(agent, { 'if-none-match': before })).json()).toMatchObject({ name: 'Edited' })
  })

  test('for a closed agent: 404', async () => {
    await get(agent)
    await sql`delete from agents`.execute(t.kysely)
    expect((await get(agent, { 'if-none-match': '*' })).statusCode).toBe(404)
  })
})

test('HEAD has the headers of GET', async () => {
  const full = await get('/agents')
  const head = await t.app.inject({ method: 'HEAD', url: '/agents' })
  expect(head.body).toBe('')
  for (const name of ['etag', 'content-length', 'content-type', 'cache-control'])
    expect(head.headers[name]).toBe(full.headers[name])
})

test('a DID Document has one tag per media type, and Vary names Accept', async () => {
  const listed = await another({ corsOrigins: ['https://app.example.org'] })
  const url = `/did/did:sol:${keyOf('owner One')}/document`
  const usual = await get(url, {}, listed)
  const newer = await get(url, { accept: 'application/did' }, listed)
  expect(usual.headers).toMatchObject({ 'content-type': 'application/did+ld+json', vary: 'Origin, accept' })
  expect(newer.headers).toMatchObject({ 'content-type': 'application/did', vary: 'Origin, accept' })
  expect(newer.headers['etag']).not.toBe(usual.headers['etag'])
  expect(newer.body).not.toBe(usual.body)
})

test('each request is counted once by the rate limit, also if the response is 304', async () => {
  const limited = await another({ rateLimits: { reads: 4 } })
  const tag = await tagOf('/agents', limited)
  const sent = (url: string, headers?: Record<string, string>) => get(url, headers, limited)
  const answers = [await sent('/agents'), await sent('/agents', { 'if-none-match': tag }), await sent(agent)]
  expect(answers.map((each) => each.statusCode)).toEqual([200, 304, 200])
  expect(answers.map((each) => each.headers['ratelimit-remaining'])).toEqual(['2', '1', '0'])
  expect(new Set(answers.map((each) => each.headers['x-request-id'])).size).toBe(3)
  expect((await sent('/agents', { 'if-none-match': tag })).statusCode).toBe(429)
})

test('errors have no tag', async () => {
  const url = `/agents/${keyOf('agent Three')}`
  for (const [path, status] of [
    [url, 404],
    ['/agents/x', 400],
  ] as const) {
    const answer = await get(path, { 'if-none-match': '*' })
    expect(answer.statusCode).toBe(status)
    expect(answer.headers['etag']).toBeUndefined()
  }
  await insertAgents(t.kysely, ['Three'])
  expect((await get(url)).headers['etag']).toBeDefined()
})

test('without the database, the answer is 503 and not 304', async () => {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const cut = await another({ database })
  const tag = await tagOf('/agents', cut)
  await database.orm.close()
  const answer = await get('/agents', { 'if-none-match': tag }, cut)
  expect(answer.statusCode).toBe(503)
  expect(answer.headers['etag']).toBeUndefined()
})
