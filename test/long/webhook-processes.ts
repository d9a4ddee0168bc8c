import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { emptyRows } from '../../src/ledger/decode/rows.ts'
import { mergeEvents } from '../../src/ledger/indexer/write/write-events.ts'
import { createSecretBox } from '../../src/webhooks/secret-box.ts'
import type { WorkerLimits } from '../../src/webhooks/limits.ts'
import { createGatewayProcess, type GatewayProcess } from '../support/gateway-process.ts'
import { startOwnPostgres } from '../support/own-postgres.ts'
import { webhookSink } from '../../src/webhooks/enqueue.ts'
import { outboxRow } from '../support/webhooks/worker-world.ts'

const KEY = Buffer.alloc(32, 5)
/** Shorter times in the proportions of the production limits. */
const LIMITS: Partial<WorkerLimits> = {
  deadlineMs: 3_000,
  leaseMs: 5_000,
  pollMs: 100,
  reclaimMs: 200,
  perEndpoint: 64,
  perSite: 64,
}

/** A PostgreSQL server that the test can restart, and real gateway processes that use it. */
export async function createProcessWorld() {
  const postgres = await startOwnPostgres({ settings: ['max_connections=100'] })
  const { orm, url } = postgres
  // A lease does not name its worker, but the connection that writes it does.
  await orm.em.getConnection().executeDump(`
    create table test_claims (token text primary key, worker text not null);
    create function test_note_claim() returns trigger language plpgsql as $$ begin
      insert into test_claims values (new.lease_token, current_setting('application_name'));
      return null;
    end $$;
    create trigger test_note_claim after update on webhook_deliveries for each row
      when (new.lease_token is not null and new.lease_token is distinct from old.lease_token)
      execute function test_note_claim()`)
  const kysely = orm.em.fork().getKysely()
  const box = createSecretBox([KEY])
  const gateways: GatewayProcess[] = []
  let workers = 0
  const create = async (settings: Record<string, string>): Promise<GatewayProcess> => {
    const gateway = await createGatewayProcess(
      {
        DATABASE_URL: url,
        WEBHOOK_DEV_MODE: 'true',
        WEBHOOK_SECRETS_KEY: KEY.toString('hex'),
        SEED_AGENTS: '0',
        LOG_LEVEL: 'info',
        ...settings,
      },
      LIMITS,
    )
    gateways.push(gateway)
    return gateway
  }
  return {
    kysely,
    /** `npm start` with only the webhook worker. */
    worker: async () => {
      workers += 1
      const name = `worker-${workers}`
      const gateway = await create({
        ROLES: 'webhooks',
        SOLANA_RPC_URL: 'http://127.0.0.1:9',
        DATABASE_URL: `${url}&application_name=${name}`,
      })
      /** The deliveries that it has claimed, by lease token. */
      const held = async (): Promise<Map<string, string>> => {
        const { rows } = await sql<{ id: string; token: string }>`
          select d.id, c.token from webhook_deliveries d join test_claims c on c.token = d.lease_token
          where d.status = 'in_flight' and c.worker = ${name}`.execute(kysely)
        return new Map(rows.map(({ token, id }) => [token, id]))
      }
      /**
       * Waits after a kill until the database server has closed its connections and their last
       * claims have ended.
       */
      const disconnected = async (): Promise<void> => {
        for (;;) {
          const { rows } = await sql`
            select from pg_stat_activity where application_name = ${name}`.execute(kysely)
          if (rows.length === 0) return
          await delay(5)
        }
      }
      return { ...gateway, held, disconnected }
    },
    /** `npm start` with all roles and its own localnet without agents. */
    whole: () => create({}),
    subscribe: async (receiver: string) => {
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
    /**
     * Commits events like the indexer, with retries while the database is down. Returns their ids.
     */
    emit: async (count: number): Promise<string[]> => {
      const outbox = Array.from({ length: count }, () => outboxRow({}))
      for (let tries = 1; ; tries += 1) {
        try {
          await orm.em
            .fork()
            .transactional((em) =>
              mergeEvents(em.getKysely(), { ...emptyRows(), outbox_events: outbox }, webhookSink),
            )
          return outbox.map((row) => row.id)
        } catch (error) {
          // The server is down or closed this connection. Writing the same rows again enqueues them
          // once.
          if (tries > 200) throw error
          await delay(50)
        }
      }
    },
    restartPostgres: async () => {
      await postgres.stop()
      await postgres.start()
    },
    close: async () => {
      for (const gateway of gateways) await gateway.remove()
      await postgres.close()
    },
  }
}
