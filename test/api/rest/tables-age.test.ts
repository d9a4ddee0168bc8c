import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { readIndexerHealth } from '../../../src/ledger/indexer/health.ts'
import { FIXED_NOW, useTestApp } from '../../support/app.ts'
import { keyOf } from '../../support/factories.ts'

let now = FIXED_NOW
const t = useTestApp(() => ({
  clock: { now: () => now },
  indexer: async () => {
    reads += 1
    return readIndexerHealth(null, t.kysely)
  },
}))
let reads = 0

/** Stores how far the indexer was and when, in seconds before now. */
async function caughtUp(slot: number, seconds: number): Promise<void> {
  await sql`
    update indexer_state set caught_up_slot = ${slot}, updated_at = now() - make_interval(secs => ${seconds}),
      caught_up_at = now() - make_interval(secs => ${seconds})`.execute(t.kysely)
  now += 11_000
}
/** Compares with an age that was stored some time ago: a busy machine may need seconds. */
function expectAge({ headers }: { headers: Record<string, unknown> }, slot: number, seconds: number): void {
  expect(Number(headers['x-registry-slot'])).toBe(slot)
  const age = Number(headers['x-registry-age'])
  expect(age).toBeGreaterThan(seconds)
  expect(age).toBeLessThan(seconds + 30)
}

const READS: [path: string, status: number][] = [
  ['/agents', 200],
  ['/agents?name=x', 200],
  [`/agents/${keyOf('nobody')}`, 404],
  [`/agents/${keyOf('nobody')}/history`, 404],
  ['/stakes', 200],
  [`/stakes/${keyOf('nobody')}`, 404],
  [`/did/did:sol:${keyOf('nobody')}`, 404],
  [`/did/did:sol:${keyOf('nobody')}/document`, 404],
  [`/1.0/identifiers/did:sol:${keyOf('nobody')}`, 404],
  [`/agents/${keyOf('nobody')}/credentials`, 404],
  ['/graphql?query={agents{totalCount}}', 200],
]

test.each(READS)('the response of %s says how old the tables are', async (url, status) => {
  await caughtUp(4_711, 90)
  const response = await t.app.inject(url)
  expect(response.statusCode).toBe(status)
  expectAge(response, 4_711, 90)
})

test('a request with wrong parameters is refused before the database is asked for anything', async () => {
  const response = await t.app.inject('/agents?unknown=x')
  expect(response.statusCode).toBe(400)
  expect(response.headers).not.toHaveProperty('x-registry-slot')
})

test('cached and unchanged responses have the current age, and so has GraphQL by POST', async () => {
  await caughtUp(5_000, 10)
  const first = await t.app.inject('/agents')
  await caughtUp(5_100, 100)
  const again = await t.app.inject('/agents')
  expect(again.headers['etag']).toBe(first.headers['etag'])
  expectAge(again, 5_100, 100)
  const unchanged = await t.app.inject({
    url: '/agents',
    headers: { 'if-none-match': String(first.headers['etag']) },
  })
  expect(unchanged.statusCode).toBe(304)
  expectAge(unchanged, 5_100, 100)
  const payload = { query: '{ agents { totalCount } }' }
  const graphql = await t.app.inject({ method: 'POST', url: '/graphql', payload })
  expectAge(graphql, 5_100, 100)
  type Health = { indexer: { cursorSlot: number; lagSeconds: number } }
  const { indexer } = (await t.app.inject('/health/detailed')).json<Health>()
  expect(indexer.cursorSlot).toBe(5_100)
  expect(indexer.lagSeconds).toBeGreaterThanOrEqual(100)
})

test('the age grows while nobody writes, and is read once a second for all requests', async () => {
  await caughtUp(6_000, 0)
  reads = 0
  for (let i = 0; i < 5; i += 1) {
    expectAge(await t.app.inject('/agents'), 6_000, 0)
    now += 180
  }
  expect(reads).toBe(1)
  now += 11_000
  await sql`
    update indexer_state set updated_at = now() - interval '2 minutes', caught_up_at = now() - interval '2 minutes'
  `.execute(t.kysely)
  expectAge(await t.app.inject('/agents'), 6_000, 120)
  expect(reads).toBe(2)
})

test('an indexer that writes old transactions after an outage does not make the tables young', async () => {
  await caughtUp(7_000, 600)
  await sql`update indexer_state set updated_at = now(), cursor_slot = 7500`.execute(t.kysely)
  const response = await t.app.inject('/agents')
  expect(response.statusCode).toBe(200)
  expectAge(response, 7_500, 600)
})

test('pages of other origins can read the age', async () => {
  const response = await t.app.inject({ url: '/agents', headers: { origin: 'https://page.example' } })
  expect(response.headers['access-control-expose-headers']).toBe('*')
})
