import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import type { Orm } from '../../src/db/orm-types.ts'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { emptyRows } from '../../src/ledger/decode/rows.ts'
import { mergeEvents } from '../../src/ledger/indexer/write/write-events.ts'
import { percentile } from '../support/statistics.ts'
import { webhookSink } from '../../src/webhooks/enqueue.ts'
import type { Server } from './postgres.ts'

const PAUSE_MS = 20
const WEBHOOKS = 50

export interface Lag {
  readonly p50: number
  readonly p99: number
  /** Share of the reads at once after a commit that did not see it. */
  readonly stale: number
}

/** Commits rows of `growth_lag` on the primary, and asks the standby until it has them. */
export async function measureLag(primary: Server, standby: Server, seconds: number): Promise<Lag> {
  const [writer, reader] = await Promise.all([connect(primary), connect(standby)])
  const times: number[] = []
  let stale = 0
  for (const end = performance.now() + seconds * 1_000; performance.now() < end;) {
    const id = (Date.now() % 1e6) * 1e3 + (times.length % 1e3)
    await writer.query('insert into growth_lag values ($1)', [id])
    const committedAt = performance.now()
    for (let reads = 0; !(await isVisible(reader, id)); reads += 1) if (reads === 0) stale += 1
    times.push(performance.now() - committedAt)
    await delay(PAUSE_MS)
  }
  await Promise.all([writer.end(), reader.end()])
  return { p50: percentile(times, 50), p99: percentile(times, 99), stale: stale / times.length }
}

/** Lets commits wait until the standby has them on its disk, or not. */
export async function setSynchronous(primary: Server, on: boolean): Promise<void> {
  const client = await connect(primary)
  await client.query(`alter system set synchronous_standby_names = '${on ? 'standby' : ''}'`)
  await client.query('select pg_reload_conf()')
  const state = on ? 'sync' : 'async'
  const query = 'select from pg_stat_replication where sync_state = $1'
  while ((await client.query(query, [state])).rowCount === 0) await delay(PAUSE_MS)
  await client.end()
}

export async function addWebhooks(orm: Orm): Promise<void> {
  const rows = Array.from({ length: WEBHOOKS }, (_, i) => ({
    id: randomUUID(),
    wallet: `bench ${i}`,
    url: 'https://receiver.example/',
    event_types: [...WEBHOOK_EVENT_TYPES],
    secret_encrypted: Buffer.from('bench'),
  }))
  await orm.em.fork().getKysely().insertInto('webhook_subscriptions').values(rows).execute()
}

/** Writes events one by one as the indexer does. Each has a delivery for every webhook. */
export async function measureWrites(orm: Orm, seconds: number): Promise<{ perSecond: number; p99: number }> {
  const times: number[] = []
  const began = performance.now()
  while (performance.now() < began + seconds * 1_000) {
    const id = `evt_${randomBytes(11).toString('hex')}`
    const occurred_at = new Date().toISOString()
    const event = {
      id,
      event_id: id,
      type: 'agent.updated',
      agent_pda: id,
      slot: 1,
      body: '{}',
      occurred_at,
    } as const
    const startedAt = performance.now()
    await orm.em
      .fork()
      .transactional((em) =>
        mergeEvents(em.getKysely(), { ...emptyRows(), outbox_events: [event] }, webhookSink),
      )
    times.push(performance.now() - startedAt)
  }
  return { perSecond: (times.length * 1_000) / (performance.now() - began), p99: percentile(times, 99) }
}

async function connect({ url }: Server): Promise<Client> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return client
}

async function isVisible(reader: Client, id: number): Promise<boolean> {
  return (await reader.query('select from growth_lag where id = $1', [id])).rowCount !== 0
}
