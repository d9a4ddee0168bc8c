import { type Kysely, sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '../../../src/db/database.ts'
import { cancelForInactiveWebhooks } from '../../../src/webhooks/cancel.ts'
import { readWebhookStats } from '../../../src/webhooks/metrics.ts'
import { createWorkerWorld, type WorkerWorld } from '../../support/webhooks/worker-world.ts'

let world: WorkerWorld
beforeAll(async () => {
  world = await createWorkerWorld()
  const id = await world.subscribe('/')
  await sql`
    insert into webhook_deliveries (subscription_id, event_id, event_type, status, next_attempt_at, completed_at)
    select ${id}, 'event' || n, 'agent.updated', 'success', null, now() from generate_series(1, 20000) n`.execute(
    world.kysely,
  )
  await world.emit({})
  await sql`analyze webhook_deliveries`.execute(world.kysely)
})
afterAll(() => world.close())

/** How many times `read` reads all rows of the delivery log. */
const scansOf = (read: (db: Kysely<Database>) => Promise<unknown>) =>
  world.kysely.transaction().execute(async (db) => {
    await read(db)
    const { rows } = await sql<{ scans: number }>`
      select seq_scan as scans from pg_stat_xact_user_tables where relname = 'webhook_deliveries'`.execute(db)
    return Number(rows[0]?.scans)
  })

test('what workers repeat every few seconds does not read the whole delivery log', async () => {
  expect(await scansOf(cancelForInactiveWebhooks)).toBe(0)
  expect(await scansOf(readWebhookStats)).toBe(0)
})
