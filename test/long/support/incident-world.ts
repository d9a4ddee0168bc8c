import { rmSync } from 'node:fs'
import { Keypair } from '@solana/web3.js'
import { startEmbeddedPostgres } from '../../../src/db/embedded/postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openOrm } from '../../../src/db/orm.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import { createRegistryWorld, type RegistryWorld } from '../../support/ledger/registry-world.ts'
import { createGatewayProcess, type GatewayProcess } from '../../support/gateway-process.ts'
import type { WorkerLimits } from '../../../src/webhooks/limits.ts'
import { type Receiver, startReceiver } from '../../support/receiver.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Orm } from '../../../src/db/orm-types.ts'

/** Prepared transactions must not expire on a busy machine. */
const SLOT_MS = 100

/** A started gateway process and its metrics. */
export interface Replica extends GatewayProcess {
  readonly url: string
  /** Starts it again, at the same address. */
  restart(settings?: Record<string, string>): Promise<void>
  /**
   * The sum of the series whose lines start with this text, for example
   * `gateway_indexer_phase{phase="live"}`. Undefined if there is none.
   */
  metric(series: string): Promise<number | undefined>
}

/**
 * A ledger, a PostgreSQL that the test can stop, a receiver, and the gateways that the test starts.
 */
export interface IncidentWorld {
  readonly world: RegistryWorld
  readonly databaseUrl: string
  readonly orm: Orm
  readonly receiver: Receiver
  readonly feePayer: Keypair
  start(settings: Record<string, string>, webhookLimits?: Partial<WorkerLimits>): Promise<Replica>
  stopDatabase(): Promise<void>
  startDatabase(): Promise<void>
  close(): Promise<void>
}

export async function createIncidentWorld(): Promise<IncidentWorld> {
  const stack = new AsyncDisposableStack()
  const world = await createRegistryWorld({ slotMs: SLOT_MS })
  stack.defer(() => world.close())
  const dataDir = temporaryFolder('gateway-incident-')
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const server = { dataDir, logger: silentLogger, settings: ['fsync=off', 'max_connections=150'] }
  let postgres = await startEmbeddedPostgres(server)
  stack.defer(() => postgres.stop())
  const { host, user, database } = postgres.connection
  const databaseUrl = `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`
  const orm = await openOrm({ url: databaseUrl })
  stack.defer(() => orm.close())
  await migrate(orm)
  const receiver = await startReceiver()
  stack.defer(() => receiver.close())
  const feePayer = Keypair.generate()
  return {
    world,
    databaseUrl,
    orm,
    receiver,
    feePayer,
    start: async (settings, webhookLimits) => {
      const env = {
        DATABASE_URL: databaseUrl,
        SOLANA_RPC_URL: world.localnet.rpcUrl,
        SOLANA_WS_URL: world.localnet.wsUrl,
        FEE_PAYER_KEYPAIR: JSON.stringify([...feePayer.secretKey]),
        WEBHOOK_SECRETS_KEY: '05'.repeat(32),
        WEBHOOK_DEV_MODE: 'true',
        TRUST_PROXY: '127.0.0.1',
        ...settings,
      }
      const gateway = await createGatewayProcess(env, webhookLimits)
      stack.defer(() => gateway.remove())
      return startedReplica(gateway)
    },
    stopDatabase: () => postgres.stop(),
    startDatabase: async () => {
      postgres = await startEmbeddedPostgres(server)
    },
    close: () => stack.disposeAsync(),
  }
}

async function startedReplica(gateway: GatewayProcess): Promise<Replica> {
  const { baseUrl: url } = await gateway.start()
  return {
    ...gateway,
    url,
    restart: async (settings = {}) => {
      await gateway.stop()
      Object.assign(gateway.env, { PORT: new URL(url).port, ...settings })
      await gateway.start()
    },
    metric: async (series) => {
      const text = await (await fetch(`${url}/metrics`)).text()
      const values = text
        .split('\n')
        .filter((line) => line.startsWith(series))
        .map((line) => Number(line.slice(line.lastIndexOf(' '))))
      return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
    },
  }
}
