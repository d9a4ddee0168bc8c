import { Keypair } from '@solana/web3.js'
import { createRegistryWorld } from '../../support/ledger/registry-world.ts'
import { createGatewayProcess, type GatewayProcess } from '../../support/gateway-process.ts'
import type { WorkerLimits } from '../../../src/webhooks/limits.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { startReceiver } from '../../support/receiver.ts'

/** Prepared transactions must not expire on a busy machine. */
const SLOT_MS = 100

/**
 * A ledger, a PostgreSQL that the test can stop, a receiver, and the gateways that the test starts.
 */
export async function createIncidentWorld() {
  const stack = new AsyncDisposableStack()
  const world = stack.adopt(await createRegistryWorld({ slotMs: SLOT_MS }), (each) => each.close())
  const settings = ['fsync=off', 'max_connections=150']
  const postgres = stack.adopt(await startOwnPostgres({ settings }), (each) => each.close())
  const receiver = stack.adopt(await startReceiver(), (each) => each.close())
  const feePayer = Keypair.generate()
  return {
    world,
    databaseUrl: postgres.url,
    orm: postgres.orm,
    receiver,
    feePayer,
    start: async (given: Record<string, string>, webhookLimits?: Partial<WorkerLimits>) => {
      const env = {
        DATABASE_URL: postgres.url,
        ...world.env,
        FEE_PAYER_KEYPAIR: JSON.stringify([...feePayer.secretKey]),
        WEBHOOK_DEV_MODE: 'true',
        TRUST_PROXY: '127.0.0.1',
        ...given,
      }
      const gateway = await createGatewayProcess(env, webhookLimits)
      stack.defer(() => gateway.remove())
      return startedReplica(gateway)
    },
    stopDatabase: postgres.stop,
    startDatabase: postgres.start,
    close: () => stack.disposeAsync(),
  }
}

export type IncidentWorld = Awaited<ReturnType<typeof createIncidentWorld>>
export type Replica = Awaited<ReturnType<typeof startedReplica>>

/** A started gateway process and its metrics. */
async function startedReplica(gateway: GatewayProcess) {
  const { baseUrl: url } = await gateway.start()
  return {
    ...gateway,
    url,
    restart: async (settings: Record<string, string> = {}) => {
      await gateway.stop()
      Object.assign(gateway.env, { PORT: new URL(url).port, ...settings })
      await gateway.start()
    },
    /**
     * The sum of the series whose lines start with this text, for example
     * `gateway_indexer_phase{phase="live"}`. Undefined if there is none.
     */
    metric: async (series: string): Promise<number | undefined> => {
      const text = await (await fetch(`${url}/metrics`)).text()
      const values = text
        .split('\n')
        .filter((line) => line.startsWith(series))
        .map((line) => Number(line.slice(line.lastIndexOf(' '))))
      return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0)
    },
  }
}
