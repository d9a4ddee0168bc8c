import { setTimeout as delay } from 'node:timers/promises'
import { Pool } from 'pg'
import { systemClock } from '../../src/platform/clock.ts'
import { openOrm } from '../../src/db/orm.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { createMetrics } from '../../src/platform/metrics/metrics.ts'
import { createWebhookWorker } from '../../src/webhooks/worker.ts'
import { CONCURRENCY, GRAPHILE_WORKER } from './engines.ts'
import { createBenchSend } from './send.ts'

/**
 * A worker process: the gateway's worker, or graphile-worker with the same sender and concurrency.
 */
const [engine, url = ''] = process.argv.slice(2)
const { send, close } = createBenchSend()

if (engine === 'gateway' || engine === 'gateway, default limits') {
  const orm = await openOrm({ url })
  const worker = createWebhookWorker({
    orm,
    send,
    openSecret: (encrypted) => encrypted.toString(),
    clock: systemClock,
    logger: createLogger('warn', false),
    metrics: createMetrics(),
    limits: engine === 'gateway' ? { concurrency: CONCURRENCY } : {},
  })
  worker.start()
  process.on(
    'message',
    () =>
      void worker
        .stop()
        .then(() => orm.close())
        .then(close)
        .then(() => process.exit(0)),
  )
} else {
  const pool = new Pool({ connectionString: url, max: 20 })
  const { run, Logger } = (await import(GRAPHILE_WORKER)) as {
    Logger: new (factory: () => () => void) => object

    run: (options: object) => Promise<{ stop(): Promise<void> }>
  }
  const runner = await run({
    preset: {
      worker: {
        concurrentJobs: CONCURRENCY,
        pollInterval: 500,
        logger: new Logger(() => () => undefined),
        ...(engine === 'graphile-worker, batched'
          ? { localQueue: { size: CONCURRENCY + 1 }, completeJobBatchDelay: 0, failJobBatchDelay: 0 }
          : {}),
      },
    },
    pgPool: pool,
    noHandleSignals: true,
    taskList: {
      deliver: async (payload: { subscription: string; event: string }) => {
        const { rows } = await pool.query<{ url: string; secret: Buffer; type: string; body: string }>({
          name: 'load',
          text: `select s.url, s.secret_encrypted as secret, o.type, o.body
            from webhook_subscriptions s, outbox_events o where s.id = $1 and o.id = $2`,
          values: [payload.subscription, payload.event],
        })
        const row = rows[0]!
        const result = await send({
          url: row.url,
          secrets: [row.secret.toString()],
          eventId: payload.event,
          eventType: row.type,
          body: row.body,
          deliveryId: payload.event,
          attempt: 1,
          deadlineMs: 15_000,
        })
        if (result.outcome !== 'success') throw new Error(`the receiver responded with ${result.status}`)
      },
    },
  })
  process.on(
    'message',
    () =>
      void runner
        .stop()
        .then(() => pool.end())
        .then(close)
        .then(() => process.exit(0)),
  )
}
await delay(300)
process.send?.('ready')
