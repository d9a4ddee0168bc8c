import { beforeEach, expect, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import { databaseReader } from '../../../src/registry/registry.ts'
import { createTestApp } from '../../support/app.ts'
import { createTestDatabase } from '../../support/database.ts'
import { agentRow, insertAgents } from '../../support/factories.ts'
import { slowNetwork } from '../../support/slow-network.ts'
import { perTest } from '../../support/lifetime.ts'

const CONNECTIONS = 5
const CROWD = 20

const database = perTest(() => createTestDatabase())
const network = perTest(() => slowNetwork(database.connection))
const orm = perTest(() =>
  openOrm({ url: network.url }, { poolSize: CONNECTIONS, statementTimeoutMs: 2_500, answerMarginMs: 500 }),
)
const t = perTest(() => createTestApp({ registry: databaseReader, database: { ...database, orm } }))
beforeEach(async () => {
  await insertAgents(t.kysely, [agentRow('One')])
  const pool = await orm.em.getConnection().getNativeClient()
  for (const each of await Promise.all(Array.from({ length: CONNECTIONS }, () => pool.connect())))
    each.release()
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
