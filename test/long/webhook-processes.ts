import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kysely } from 'kysely'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/db/embedded/postgres.ts'
import { migrate, openOrm } from '../../src/db/orm.ts'
import type { Database } from '../../src/db/tables.ts'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { emptyBatch } from '../../src/ledger/indexer/decode-transaction.ts'
import { writeEvents } from '../../src/ledger/indexer/write-events.ts'
import { createSecretBox } from '../../src/webhooks/secret-box.ts'
import type { WorkerLimits } from '../../src/webhooks/worker/timing.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { outboxRow } from '../webhooks/support/worker-world.ts'

const KEY = Buffer.alloc(32, 5)
/** The shape of the production limits, shorter. */
const LIMITS: Partial<WorkerLimits> = {
  deadlineMs: 4_000,
  leaseMs: 7_000,
  pollMs: 100,
  reclaimMs: 200,
  perEndpoint: 64,
  perHost: 64,
}

/** A PostgreSQL that the test may restart, and real gateway processes on it. */
export interface ProcessWorld {
  readonly url: string
  readonly kysely: Kysely<Database>
  /** `npm start` with these settings, by default a worker alone. */
  gateway(settings?: Record<string, string>): Promise<GatewayProcess>
  subscribe(url: string): Promise<string>
  /** Commits events as the indexer does, trying again while the database is away; returns their ids. */
  emit(count: number): Promise<string[]>
  restartPostgres(): Promise<void>
  close(): Promise<void>
}

export async function createProcessWorld(): Promise<ProcessWorld> {
  const dataDir = temporaryFolder('webhook-crash-')
  const logger = { info: () => undefined }
  const startPostgres = (): Promise<EmbeddedPostgres> =>
    startEmbeddedPostgres({ dataDir, logger, settings: ['max_connections=100'] })
  let postgres = await startPostgres()
  const { host, user, database } = postgres.connection
  const url = `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`
  const orm = await openOrm({ url })
  await migrate(orm)
  const kysely = orm.em.fork().getKysely<Database>()
  const box = createSecretBox([KEY])
  const gateways: GatewayProcess[] = []
  return {
    url,
    kysely,
    gateway: async (settings = {}) => {
      const gateway = await createGatewayProcess({
        ROLES: 'webhooks',
        DATABASE_URL: url,
        SOLANA_RPC_URL: 'http://127.0.0.1:9',
        WEBHOOK_DEV_MODE: 'true',
        WEBHOOK_SECRETS_KEY: KEY.toString('hex'),
        TEST_WEBHOOK_LIMITS: JSON.stringify(LIMITS),
        SEED_AGENTS: '0',
        LOG_LEVEL: 'info',
        ...settings,
      })
      gateways.push(gateway)
      return gateway
    },
    subscribe: async (receiver) => {
      const id = randomUUID()
      await kysely
        .insertInto('webhook_subscriptions')
        .values({
          id,
          wallet: 'wallet',
          url: receiver,
          event_types: [...WEBHOOK_EVENT_TYPES],
          secret_encrypted: box.seal(id, 'whsec_crash'),
        })
        .execute()
      return id
    },
    emit: async (count) => {
      const outbox = Array.from({ length: count }, () => outboxRow({}))
      for (let tries = 1; ; tries += 1) {
        try {
          await orm.em
            .fork()
            .transactional((em) => writeEvents(em.getKysely<Database>(), { ...emptyBatch(), outbox }))
          return outbox.map((row) => row.id)
        } catch (error) {
          // The server is away, or ended this connection: the same rows again are enqueued once all the same.
          if (tries > 200) throw error
          await delay(50)
        }
      }
    },
    restartPostgres: async () => {
      await postgres.stop()
      postgres = await startPostgres()
    },
    close: async () => {
      for (const gateway of gateways) await gateway.remove()
      await postgres.stop()
      // A connection that a restart cut off in the middle of a transaction may never come back to the pool.
      await Promise.race([orm.close(), delay(5_000)])
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
