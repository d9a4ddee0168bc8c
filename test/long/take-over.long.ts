import { afterAll, beforeAll, expect, test } from 'vitest'
import { audit } from '../../src/ledger/audit/audit.ts'
import { createRegistryWorld, programId } from '../support/ledger/registry-world.ts'
import { kyselyOf } from '../support/ledger/tables.ts'
import { createTestDatabase, urlOf } from '../support/database.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { scaled } from '../support/machine-speed.ts'
import { perFile } from '../support/lifetime.ts'

const ROUNDS = 6
const SECONDS = scaled(60_000)

const world = perFile(() => createRegistryWorld())
const database = perFile(() => createTestDatabase())
const gateways: GatewayProcess[] = []

beforeAll(async () => {
  const settings = { DATABASE_URL: urlOf(database), ...world.env, ROLES: 'indexer' }
  for (let i = 0; i < 2; i += 1) gateways.push(await createGatewayProcess(settings))
})
afterAll(async () => {
  for (const gateway of gateways) await gateway.remove()
})

const epoch = async (): Promise<number> =>
  (await kyselyOf(database.orm).selectFrom('indexer_state').select('leader_epoch').executeTakeFirst())
    ?.leader_epoch ?? 0
const reports = async (): Promise<number> =>
  (
    await kyselyOf(database.orm)
      .selectFrom('ledger_events')
      .select('id')
      .where('name', '=', 'ReputationUpdated')
      .execute()
  ).length

test('one of two gateways on a database indexes; after kill -9 the other one continues within seconds, and nothing is duplicated', async () => {
  const [first, second] = gateways as [GatewayProcess, GatewayProcess]
  const { agent } = await world.wallet('Ada')
  await first.start()
  await expect.poll(epoch, { timeout: SECONDS }).toBe(1)
  await second.start()
  for (let round = 0; round < ROUNDS; round += 1) {
    const leader = round % 2 === 0 ? first : second
    await world.report(agent, 1)
    await expect.poll(reports, { timeout: SECONDS }).toBe(2 * round + 1)
    expect(await epoch()).toBe(round + 1)
    await leader.kill()
    await world.report(agent, 1)
    await expect.poll(reports, { timeout: SECONDS }).toBe(2 * round + 2)
    expect(await epoch()).toBe(round + 2)
    await leader.start()
  }
  const { differences, events } = await audit({ orm: database.orm, rpc: world.rpc, programId })
  expect({ differences, events }).toEqual({ differences: [], events: 1 + 2 * ROUNDS })
})
