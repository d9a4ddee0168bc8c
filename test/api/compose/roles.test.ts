import { sql } from 'kysely'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import { readConfig } from '../../../src/platform/config/config.ts'
import { type Gateway, startGateway } from '../../../src/compose/gateway.ts'
import { createRegistryWorld } from '../../support/ledger/registry-world.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { urlOf, useTestDatabase } from '../../support/database.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { perFile } from '../../support/lifetime.ts'

const world = perFile(() => createRegistryWorld())
const database = useTestDatabase()
let gateways: Gateway[] = []
let ahead = 0

afterEach(async () => {
  for (const gateway of gateways) await gateway.stop()
  gateways = []
  ahead = 0
})

async function start(roles: string, rpcUrl = world.localnet.rpcUrl): Promise<() => Promise<string>> {
  const gateway = await startGateway({
    ...readConfig({
      DATA_DIR: temporaryFolder('roles-'),
      DATABASE_URL: urlOf(database),
      SOLANA_RPC_URL: rpcUrl,
      WEBHOOK_SECRETS_KEY: '07'.repeat(32),
      PORT: '0',
      ROLES: roles,
    }),
    logger: pino({ level: 'silent' }),
    clock: { ...systemClock, now: () => Date.now() + ahead },
  })
  gateways.push(gateway)
  return async () => {
    const answer = await fetch(`${gateway.baseUrl}/ready`)
    const { status, error } = (await answer.json()) as { status?: string; error?: string }
    return `${answer.status} ${status ?? error}`
  }
}

test('the api role is ready when the tables are filled, and an indexer when it leads or stands by', async () => {
  const [reads, lost] = [await start('api'), await start('indexer', 'http://127.0.0.1:9')]
  await expect.poll(reads).toBe('503 Not ready: the registry has not been read from the ledger yet (off)')
  await expect.poll(lost).toBe('503 Not ready: no ledger node responds; the indexer is still starting')
  await gateways.pop()?.stop()
  const leader = await start('indexer')
  await expect.poll(leader).toBe('200 ready')
  await expect.poll(reads).toBe('200 ready')
  const standby = await start('indexer')
  await expect.poll(standby).toBe('200 ready')
  expect(gateways.map(({ indexer }) => indexer?.status().phase)).toEqual([undefined, 'live', 'standby'])
})

test('workers are ready while they poll for work', async () => {
  const ready = await start('webhooks,cards', 'http://127.0.0.1:9')
  await expect.poll(ready).toBe('200 ready')
  const kysely = kyselyOf(database.orm)
  await sql`alter table webhook_deliveries rename to webhook_deliveries_away`.execute(kysely)
  await sql`alter table agents rename to agents_away`.execute(kysely)
  // From now on neither worker can poll. A running poll ends within the first one here.
  await expect
    .poll(async () => {
      ahead += 20_000
      return ready()
    })
    .toMatch(
      /^503 Not ready: the webhook worker has not polled for work for \d+ s; the card worker has not polled for work for \d+ s$/,
    )
  await sql`alter table webhook_deliveries_away rename to webhook_deliveries`.execute(kysely)
  await sql`alter table agents_away rename to agents`.execute(kysely)
  await expect.poll(ready).toBe('200 ready')
})
