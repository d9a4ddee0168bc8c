import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { sql } from 'kysely'
import { afterAll, expect, inject, test } from 'vitest'
import { openOrm } from '../../../src/db/orm.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { createTestDatabase, urlOf } from '../../support/database.ts'
import { createDatabase, dropDatabase } from '../../support/database-server.ts'
import { createIncidentWorld, type Replica } from '../support/incident-world.ts'
import { idsReceived, subscribe } from '../support/webhook-clients.ts'
import { scaled } from '../../support/machine-speed.ts'
import { perFile } from '../../support/lifetime.ts'

const SOON = { timeout: scaled(40_000), interval: 100 }
const RESTORED = `gateway_restored_${process.pid}`

const incident = perFile(() => createIncidentWorld())
const database = perFile(() => createTestDatabase())
const run = promisify(execFile)

afterAll(async () => {
  await dropDatabase(inject('databaseServer'), RESTORED)
})

/** The embedded PostgreSQL has no pg_dump, and an older pg_dump refuses a newer server. */
async function canDump(): Promise<boolean> {
  const { rows } = await sql<{ version: number }>`
    select current_setting('server_version_num')::integer / 10000 as version`.execute(kyselyOf(database.orm))
  const tool = await run('pg_dump', ['--version']).catch(() => null)
  return Number(/\d+/.exec(tool?.stdout ?? '')?.[0] ?? 0) >= (rows[0]?.version ?? 0)
}

test('after a restore of an older dump the indexer continues, the tables equal the ledger, and repeated events keep their ids', async ({
  skip,
}) => {
  if (!(await canDump())) skip('needs a pg_dump as new as the server: set DATABASE_URL to one')
  const { world, receiver } = incident
  const ada = await world.wallet('Ada')
  const start = async (url: string): Promise<Replica> => {
    const replica = await incident.start({ DATABASE_URL: url, ROLES: 'api,indexer,webhooks' })
    await expect.poll(async () => (await fetch(`${replica.url}/ready`)).status, SOON).toBe(200)
    return replica
  }
  const first = await start(urlOf(database))
  await subscribe(first.url, receiver.url('/0'), 'owner', ada.agent)
  await world.report(ada.agent, 1)
  await expect.poll(() => idsReceived(receiver).size, SOON).toBe(1)
  const file = join(first.dataDir, 'gateway.dump')
  await run('pg_dump', ['-Fc', '-f', file, urlOf(database)])

  const [beforeDump] = idsReceived(receiver)
  for (let i = 0; i < 3; i += 1) await world.report(ada.agent, 1)
  await expect.poll(() => idsReceived(receiver).size, SOON).toBe(4)
  const received = idsReceived(receiver)
  await first.stop()
  await world.report(ada.agent, 1)

  const server = inject('databaseServer')
  await createDatabase(server, RESTORED, 'template0')
  const url = urlOf(database).replace(/gateway_test_[0-9a-f]+/, RESTORED)
  await run('pg_restore', ['-d', url, '--exit-on-error', file])
  const receivedBefore = receiver.requests.length
  const second = await start(url)
  await expect.poll(() => idsReceived(receiver).size, SOON).toBe(5)
  await expect.poll(() => receiver.requests.length, SOON).toBe(receivedBefore + 4)
  const again = idsReceived({ ...receiver, requests: receiver.requests.slice(receivedBefore) })
  expect([...received].filter((id) => !again.has(id))).toEqual([beforeDump])
  expect(await second.cli('audit')).toMatchObject({ code: 0 })

  const orm = await openOrm({ url })
  const doubled = await sql`
    select from webhook_deliveries group by subscription_id, event_id having count(*) > 1`.execute(
    kyselyOf(orm),
  )
  expect(doubled.rows).toEqual([])
  await orm.close()
})
