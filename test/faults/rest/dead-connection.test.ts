import { afterEach, beforeEach, expect, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import { databaseReader } from '../../../src/registry/registry.ts'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { type SlowNetwork, slowNetwork } from '../../support/slow-network.ts'
import type { Orm } from '../../../src/db/orm-types.ts'

const CONNECTIONS = 5
const CROWD = 20
const noLedger = { call: () => Promise.reject(new Error('no test uses the ledger')) }

let database: TestDatabase
let network: SlowNetwork
let orm: Orm
let t: TestApp
beforeEach(async () => {
  database = await createTestDatabase()
  network = await slowNetwork(database.connection)
  orm = await openOrm(
    { url: network.url },
    { poolSize: CONNECTIONS, statementTimeoutMs: 2_500, answerMarginMs: 500 },
  )
  t = await createTestApp({ ledger: noLedger, registry: databaseReader, database: { ...database, orm } })
  await insertAgents(t.kysely, [agentRow('One')])
  const pool = await orm.em.getConnection().getNativeClient()
  for (const each of await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect())))
    each.release()
})
afterEach(async () => {
  await t.close()
  await orm.close()
  await network.close()
  await database.drop()
})

const get = async (url: string): Promise<number> => (await t.app.inject(url)).statusCode
const crowd = (url: string): Promise<number[]> => Promise.all(Array.from({ length: CROWD }, () => get(url)))
const all = (status: number): number[] => Array.from({ length: CROWD }, () => status)

test('only the request on a dead connection fails', async () => {
  expect(await get('/agents')).toBe(200)
  network.silenceNext()
  const first = get('/agents')
  expect(await crowd('/agents')).toEqual(all(200))
  expect(await first).toBe(503)
  expect(await get('/agents')).toBe(200)
})
