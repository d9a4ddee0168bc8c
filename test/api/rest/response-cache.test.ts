import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createTestApp, type TestAppOptions, type TestApp } from '../../support/app.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'

const noLedger = { call: () => Promise.reject(new Error('not asked')) }
const agent = `/agents/${keyOf('agent One')}`

let t: TestApp
async function start(surroundings: Partial<TestAppOptions> = {}): Promise<void> {
  t = await createTestApp({ ledger: noLedger, ...surroundings })
  await insertAgents(t.kysely, [agentRow('One'), agentRow('Two', { name: 'Twö' })])
  await insertStakes(t.kysely, [stakeRow('One')])
  await insertHistory(t.kysely, 'One', [{}])
}
beforeEach(() => start())
afterEach(() => t.close())

const get = (url: string, headers: Record<string, string> = {}) => t.app.inject({ url, headers })
const tagOf = async (url: string): Promise<string> => String((await get(url)).headers['etag'])

/** The counters of the cache. */
async function counted(): Promise<Record<string, number>> {
  const { body } = await t.app.inject('/metrics')
  const found = body.matchAll(/^gateway_response_cache_(?:requests_total\{outcome=")?(\w+)(?:"\})? (\d+)$/gm)
  return Object.fromEntries(Array.from(found, ([, name, count]) => [name, Number(count)]))
}

const EDITS: Record<string, ReturnType<typeof sql>> = {
  agents: sql`update agents set name = 'Edited'`,
  counts: sql`update agent_counts set count = count + 1`,
  stakes: sql`update stakes set locked_amount = 7`,
  history: sql`update agent_history set new_value = 'edited'`,
  nothing: sql`truncate rate_limits`,
}

test.each([
  ['/agents', ['agents', 'counts']],
  ['/agents?name=One', ['agents', 'counts']],
  [agent, ['agents', 'counts']],
  [`${agent}/history`, ['agents', 'counts', 'history']],
  ['/stakes', ['stakes']],
  [`/stakes/${keyOf('stake One')}`, ['stakes']],
  [`/did/did:sol:${keyOf('owner One')}`, ['agents', 'counts']],
  [`/did/did:sol:${keyOf('owner One')}/document`, ['agents', 'counts']],
])('%s is read again only after a change of %j', async (url, edits) => {
  const first = await get(url)
  expect(first.statusCode).toBe(200)
  expect((await get(url)).rawPayload).toEqual(first.rawPayload)
  expect(await counted()).toMatchObject({ miss: 1, hit: 1 })
  let misses = 1
  for (const [name, edit] of Object.entries(EDITS)) {
    await edit.execute(t.kysely)
    await get(url)
    if (edits.includes(name)) misses += 1
    expect({ name, miss: (await counted())['miss'] }).toEqual({ name, miss: misses })
  }
})

test('equal requests at the same time share one read, also right after a change', async () => {
  const crowd = () => Promise.all(Array.from({ length: 40 }, () => get('/agents')))
  const bodies = (await crowd()).map((each) => each.body)
  expect(new Set(bodies).size).toBe(1)
  expect((await counted())['miss']).toBe(1)
  await EDITS['agents']!.execute(t.kysely)
  expect(new Set((await crowd()).map((each) => each.body)).size).toBe(1)
  expect((await counted())['miss']).toBe(2)
})

test('the order and the encoding of parameters do not matter', async () => {
  await get('/agents?name=Tw%C3%B6&limit=5&status=active')
  await get('/agents?status=active&limit=5&name=Tw%c3%b6')
  expect(await counted()).toMatchObject({ miss: 1, hit: 1 })
  for (const other of [
    'name=Twö',
    'limit=6',
    'status=inactive',
    'tier=basic',
    'order=asc',
    'offset=1',
    'sort=name',
  ]) {
    const [name = '', value = ''] = other.split('=')
    await get(`/agents?${name}=${encodeURIComponent(value)}`)
  }
  expect(await counted()).toMatchObject({ miss: 8, hit: 1 })
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
    expect(await counted()).toMatchObject({ not_modified_total: 2 })
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
  await t.close()
  await start({ corsOrigins: ['https://app.example.org'] })
  const url = `/did/did:sol:${keyOf('owner One')}/document`
  const usual = await get(url)
  const newer = await get(url, { accept: 'application/did' })
  expect(usual.headers).toMatchObject({ 'content-type': 'application/did+ld+json', vary: 'Origin, accept' })
  expect(newer.headers).toMatchObject({ 'content-type': 'application/did', vary: 'Origin, accept' })
  expect(newer.headers['etag']).not.toBe(usual.headers['etag'])
  expect(newer.body).not.toBe(usual.body)
})

test('each request is counted once by the rate limit, cached or not', async () => {
  await t.close()
  await start({ rateLimits: { reads: 4 } })
  const tag = await tagOf('/agents')
  const answers = [await get('/agents'), await get('/agents', { 'if-none-match': tag }), await get(agent)]
  expect(answers.map((each) => each.statusCode)).toEqual([200, 304, 200])
  expect(answers.map((each) => each.headers['ratelimit-remaining'])).toEqual(['2', '1', '0'])
  expect(new Set(answers.map((each) => each.headers['x-request-id'])).size).toBe(3)
  expect((await get('/agents', { 'if-none-match': tag })).statusCode).toBe(429)
})

test('errors are not cached', async () => {
  const url = `/agents/${keyOf('agent Three')}`
  expect((await get(url)).statusCode).toBe(404)
  expect((await get('/agents/x')).statusCode).toBe(400)
  expect(await counted()).toMatchObject({ entries: 0, bytes: 0 })
  await insertAgents(t.kysely, [agentRow('Three')])
  const found = await get(url)
  expect(found.statusCode).toBe(200)
  expect(found.headers['etag']).toBeDefined()
})

test('cached responses are not sent while the database is unavailable', async () => {
  await get('/agents')
  expect((await get('/agents')).statusCode).toBe(200)
  await t.database.orm.close()
  const kept = await get('/agents')
  const other = await get('/agents?limit=3')
  expect({ status: kept.statusCode, body: kept.body }).toEqual({ status: 503, body: other.body })
  expect(other.statusCode).toBe(503)
  expect(kept.headers['etag']).toBeUndefined()
})

test('the cache stays within its limit and removes the least recently used entry', async () => {
  await t.close()
  await start({ responseCacheBytes: 12_000 })
  await get('/agents?limit=200')
  for (let limit = 1; limit < 60; limit += 1) {
    await get(`/agents?limit=${limit}`)
    await get('/agents?limit=200')
    expect((await counted())['bytes']).toBeLessThanOrEqual(12_000)
  }
  const { entries, miss, hit } = await counted()
  expect(entries).toBeGreaterThan(2)
  expect(entries).toBeLessThan(24)
  expect({ miss, hit }).toEqual({ miss: 60, hit: 59 })
  await get('/agents?limit=1')
  expect((await counted())['miss']).toBe(61)
})

test('a response larger than the limit is sent but not cached', async () => {
  await t.close()
  await start({ responseCacheBytes: 800 })
  expect((await get('/agents')).headers['etag']).toBeDefined()
  expect(await counted()).toMatchObject({ entries: 0, bytes: 0 })
})

test('without a cache, each request is read again and has no tag', async () => {
  await t.close()
  await start({ responseCacheBytes: 0 })
  await t.kysely.schema.dropTable('read_versions').cascade().execute()
  for (const url of ['/agents', agent, '/stakes', `/did/did:sol:${keyOf('owner One')}`]) {
    const answer = await get(url, { 'if-none-match': '*' })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(answer.headers['etag']).toBeUndefined()
  }
  expect(await counted()).toEqual({})
})
