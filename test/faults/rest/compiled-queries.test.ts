import { expect, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import { createTestApp, everyRateLimit, type TestApp } from '../../support/app.ts'
import { recordStatements } from '../../support/statements.ts'
import { perFile } from '../../support/lifetime.ts'

const JSON_BODY = { 'content-type': 'application/json' }
const LIMIT = 1_000
const rateLimits = everyRateLimit(LIMIT)

const statements = recordStatements()
const t = perFile(() => createTestApp({ rateLimits, registry: databaseReader }))
const interpreted = perFile(() =>
  createTestApp({
    rateLimits,
    executor: 'execute',
    database: t.database,
    registry: databaseReader,
  }),
)

let networks = 0
/** Sends a query of a network that has all its units, and returns what was used. */
async function ask({ app }: TestApp, query: string, accept = 'application/json') {
  const before = statements.mock.calls.length
  const response = await app.inject({
    method: 'POST',
    url: '/graphql',
    payload: { query },
    headers: { ...JSON_BODY, accept },
    remoteAddress: `10.${(networks += 1) >> 8}.${networks & 255}.1`,
  })
  const units = LIMIT - Number(response.headers['ratelimit-remaining'])
  return { body: response.body, units, statements: statements.mock.calls.length - before }
}

async function isCompiled(query: string, accept: string): Promise<boolean> {
  const count = async (): Promise<string> =>
    /^gateway_graphql_compiled_total \d+$/m.exec((await t.app.inject('/metrics')).body)![0]
  const before = await count()
  await ask(t, query, accept)
  return before !== (await count())
}

test('Accept headers of others do not switch compiled queries off', async () => {
  const query = '{ agentsPage { total } }'
  for (let i = 0; i < 60; i += 1) await ask(t, query, `application/json;q=0.${i}`)
  await ask(t, query, 'application/json, x/new')
  expect(await isCompiled(query, 'application/json, x/new')).toBe(true)
})

test('a compiled query with an error is executed twice and charged twice', async () => {
  const query = '{ agent(pda: "x") { name } agents(first: 200) { nodes { pda owner stake { pda } } } }'
  for (let i = 0; i < 30; i += 1) await ask(t, query)
  const [ours, once] = [await ask(t, query), await ask(interpreted, query)]
  expect(ours.body).toBe(once.body)
  expect(once.statements).toBeGreaterThan(0)
  expect(ours.statements).toBe(2 * once.statements)
  expect(ours.units).toBe(2 * once.units)
})

test('a query that a client could not pay twice is executed once', async () => {
  const stakes = Array.from({ length: 100 }, (_, i) => `s${i}: stake { pda }`).join(' ')
  const query = `{ agent(pda: "x") { name } agents(first: 200) { nodes { ${stakes} } } }`
  for (let i = 0; i < 30; i += 1) await ask(t, query)
  const [ours, once] = [await ask(t, query), await ask(interpreted, query)]
  expect(once.units).toBeGreaterThan(100)
  expect(ours).toEqual(once)
})
