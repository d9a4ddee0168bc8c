import { createHash, createHmac, randomUUID } from 'node:crypto'
import { type Insertable, sql } from 'kysely'
import { afterEach } from 'vitest'
import { systemClock } from '../../../src/platform/clock.ts'
import type { Database } from '../../../src/db/database.ts'
import { WEBHOOK_EVENT_TYPES, type WebhookEventType } from '../../../src/domain/webhook-events.ts'
import { emptyRows } from '../../../src/ledger/decode/rows.ts'
import { mergeEvents } from '../../../src/ledger/indexer/write/write-events.ts'
import { createMetrics, type Metrics } from '../../../src/platform/metrics/metrics.ts'
import { createGuardedHttp } from '../../../src/platform/net/guarded-http.ts'
import { createSecretBox } from '../../../src/webhooks/secret-box.ts'
import { createSender, type Send } from '../../../src/webhooks/send.ts'
import { createWebhookWorker, type WebhookWorker, type WorkerOptions } from '../../../src/webhooks/worker.ts'
import { createTestDatabase } from '../database.ts'
import { silentLogger } from '../ledger/indexer.ts'
import { eventually } from '../eventually.ts'
import { perFile } from '../lifetime.ts'
import { scaled } from '../machine-speed.ts'
import { queueErrors } from './queue-errors.ts'
import { webhookSink } from '../../../src/webhooks/enqueue.ts'
import { startReceiverFarm } from './receiver-farm.ts'

export const SECRET = 'whsec_of_the_test'
export const AGENT = 'agent'
export const box = createSecretBox([Buffer.alloc(32, 7)])

/** The sender of the service, with attempts of at most `totalMs`. */
export function senderWithin(totalMs: number): Send {
  const http = createGuardedHttp({ devMode: true, allowedPorts: [443] })
  const send = createSender({ http, clock: systemClock })
  return (request) => send({ ...request, deadlineMs: Math.min(request.deadlineMs, totalMs) })
}

/** Short times. Only a test that waits for a timeout or the end of a lease has shorter ones. */
export const QUICK = {
  deadlineMs: scaled(3_000),
  leaseMs: scaled(8_000),
  pollMs: 20,
  reclaimMs: 50,
  internalErrorDelayMs: 50,
} as const

type SubscriptionInput = Insertable<Database['webhook_subscriptions']>

interface EventInput {
  id: string
  eventId: string
  type: WebhookEventType
  agent: string
  slot: number
}

export async function createWorkerWorld() {
  const database = await createTestDatabase()
  const kysely = database.orm.em.fork().getKysely()
  const farm = await startReceiverFarm()
  let workers: WebhookWorker[] = []
  let metrics = [createMetrics()]
  const registryOf = (index: number): Metrics => (metrics[index] ??= createMetrics())
  const stopWorkers = async (): Promise<void> => {
    await Promise.all(workers.map((worker) => worker.stop()))
    workers = []
    metrics = [createMetrics()]
  }
  const deliveries = (subscriptionId: string) =>
    kysely
      .selectFrom('webhook_deliveries')
      .selectAll()
      .where('subscription_id', '=', subscriptionId)
      .orderBy('created_at')
      .execute()
  return {
    database,
    kysely,
    farm,
    /** Creates a webhook for a path of the receiver farm. Returns its id. */
    subscribe: async (path: string, changes: Partial<SubscriptionInput> = {}) => {
      const id = randomUUID()
      await kysely
        .insertInto('webhook_subscriptions')
        .values({
          id,
          wallet: 'wallet',
          url: farm.url(path),
          // Its receiver has answered fast before.
          response_ms: 5,
          event_types: [...WEBHOOK_EVENT_TYPES],
          secret_encrypted: box.seal(id, SECRET),
          ...changes,
        })
        .execute()
      return id
    },
    /** Commits events like the indexer. Returns their ids. */
    emit: async (...events: Partial<EventInput>[]) => {
      const rows = events.map((event) => outboxRow(event))
      await database.orm.em
        .fork()
        .transactional((em) =>
          mergeEvents(em.getKysely(), { ...emptyRows(), outbox_events: rows }, webhookSink),
        )
      return rows.map((row) => row.id)
    },
    worker: (options: Partial<WorkerOptions> = {}) => {
      const worker = createWebhookWorker({
        orm: database.orm,
        send: senderWithin(QUICK.deadlineMs),
        openSecret: (encrypted, id) => box.open(id, encrypted),
        clock: systemClock,
        logger: silentLogger,
        metrics: registryOf(workers.length),
        limits: QUICK,
        ...options,
      })
      workers.push(worker)
      worker.start()
      return worker
    },
    deliveries,
    /** Of the deliveries, oldest first. */
    statuses: async (subscriptionId: string) =>
      (await deliveries(subscriptionId)).map(({ status }) => status),
    attempts: (subscriptionId: string) =>
      kysely
        .selectFrom('webhook_attempts as a')
        .innerJoin('webhook_deliveries as d', 'd.id', 'a.delivery_id')
        .selectAll('a')
        .where('d.subscription_id', '=', subscriptionId)
        .orderBy('a.id')
        .execute(),
    subscription: (id: string) =>
      kysely.selectFrom('webhook_subscriptions').selectAll().where('id', '=', id).executeTakeFirstOrThrow(),
    /** Ends all pauses and makes all retries due now. */
    expire: async () => {
      await sql`update webhook_subscriptions set paused_until = now() where paused_until > now()`.execute(
        kysely,
      )
      await sql`update webhook_deliveries set next_attempt_at = now() where status = 'retrying'`.execute(
        kysely,
      )
    },
    /** Waits until no attempt is due or in flight. */
    quiet: () =>
      eventually(async () => {
        const { rows } = await sql`select id from webhook_deliveries
          where status = 'in_flight' or next_attempt_at <= now()`.execute(kysely)
        if (rows.length > 0) throw new Error('some attempts are due or in flight')
      }),
    /** The value of a metric, summed over the workers. */
    metric: async (name: string, labels: Record<string, string> = {}) => {
      const found = await Promise.all(metrics.map(async (each) => each.getSingleMetric(name)?.get()))
      const values = found
        .flatMap((each) => each?.values ?? [])
        .filter((each) => Object.entries(labels).every(([key, value]) => each.labels[key] === value))
      return values.reduce((sum, { value }) => sum + value, 0)
    },
    /** Stops all workers and empties the tables. */
    reset: async () => {
      await stopWorkers()
      const errors = await queueErrors(kysely)
      if (errors.length > 0) throw new Error(`webhook_queue is wrong: ${JSON.stringify(errors)}`)
      farm.clear()
      for (const table of [
        'webhook_attempts',
        'webhook_subscriptions',
        'webhook_fan_outs',
        'outbox_events',
        'ledger_events',
      ] as const)
        await kysely.deleteFrom(table).execute()
    },
    close: async () => {
      await stopWorkers()
      await farm.close()
      await database.drop()
    },
  }
}
type WorkerWorld = Awaited<ReturnType<typeof createWorkerWorld>>

/** The world of a test file. Each test starts with empty tables. */
export function useWorkerWorld(): WorkerWorld {
  const world = perFile(createWorkerWorld)
  afterEach(() => world.reset())
  return world
}

let events = 0
/** A new event as the indexer writes it. */
export function outboxRow(event: Partial<EventInput>) {
  events += 1
  const { type = 'agent.updated', agent = AGENT, slot = events } = event
  const id = event.id ?? `evt_${createHash('sha256').update(String(events)).digest('hex').slice(0, 22)}`
  const timestamp = new Date(1_700_000_000_000 + events).toISOString()
  const body = JSON.stringify({ id, type, pda: agent, slot, timestamp, data: { number: events } })
  return {
    id,
    event_id: event.eventId ?? `of_${id}`,
    type,
    agent_pda: agent,
    slot,
    body,
    occurred_at: timestamp,
  }
}

/** The signature as the contract describes it, without the code of the service. */
export const signatureOf = (secret: string, timestamp: string, body: string): string =>
  createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')
