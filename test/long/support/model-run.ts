import { rmSync } from 'node:fs'
import { Keypair } from '@solana/web3.js'
import { sql } from 'kysely'
import { untilConfirmed } from '../../../src/compose/localnet/transaction-sender.ts'
import { startEmbeddedPostgres } from '../../../src/db/embedded/postgres.ts'
import { migrate } from '../../../src/db/migrate.ts'
import { openOrm } from '../../../src/db/orm.ts'
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhook-events.ts'
import { silentLogger } from '../../support/ledger/indexer.ts'
import { createRegistryWorld, keyOf, type RegistryWorld } from '../../support/ledger/registry-world.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { createGatewayProcess } from '../../support/gateway-process.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import type { Catastrophes } from './random-faults.ts'
import { WalletSends } from './wallet-sends.ts'
import type { Orm } from '../../../src/db/orm-types.ts'

const WALLETS = 6

/**
 * A ledger in this process, a PostgreSQL that can restart, and a gateway process that can be
 * killed.
 */
export interface ModelRun extends Catastrophes {
  world: RegistryWorld
  orm: Orm
  wallets: readonly Keypair[]
  walletSends: WalletSends
  /** The last lines of the gateway's log. */
  lastWords(): string
  close(): Promise<void>
}

export async function startModelRun(): Promise<ModelRun> {
  const stack = new AsyncDisposableStack()
  const world = await createRegistryWorld({ slotMs: 40 })
  stack.defer(() => world.close())
  const dataDir = temporaryFolder('gateway-model-')
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }))
  const server = { dataDir, logger: silentLogger, settings: ['fsync=off'] }
  let postgres = await startEmbeddedPostgres(server)
  stack.defer(() => postgres.stop())
  const { host, user, database } = postgres.connection
  const url = `postgresql:///${database}?host=${encodeURIComponent(host)}&user=${user}`
  const orm = await openOrm({ url })
  stack.defer(() => orm.close())
  await migrate(orm)
  for (const [id, types] of Object.entries({
    all: WEBHOOK_EVENT_TYPES,
    some: ['agent.registered', 'stake.deposited', 'agent.reputation_updated'],
  }))
    await sql`
      insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted)
      values (${id}, 'wallet', 'https://receiver.example', ${types}, '')`.execute(kyselyOf(orm))
  const gateway = await createGatewayProcess({
    DATABASE_URL: url,
    SOLANA_RPC_URL: world.localnet.rpcUrl,
    SOLANA_WS_URL: world.localnet.wsUrl,
    ROLES: 'indexer',
    INDEXER_POLL_MS: '100',
    INDEXER_BATCH_SIZE: '7',
    LOG_LEVEL: 'info',
  })
  stack.defer(() => gateway.remove())
  await gateway.start()
  const walletSends = new WalletSends(world, orm)
  stack.defer(() => walletSends.close())
  return {
    world,
    orm,
    walletSends,
    wallets: await fundedWallets(world),
    killGateway: async () => {
      await gateway.kill()
      await gateway.start()
    },
    restartDatabase: async () => {
      await postgres.stop()
      postgres = await startEmbeddedPostgres(server)
    },
    lastWords: () => gateway.output().slice(-6_000),
    close: () => stack.disposeAsync(),
  }
}

async function fundedWallets({ connection, localnet, rpc }: RegistryWorld): Promise<Keypair[]> {
  const wallets = Array.from({ length: WALLETS }, () => Keypair.generate())
  const signatures: string[] = []
  for (const wallet of wallets) {
    signatures.push(await connection.requestAirdrop(wallet.publicKey, 100_000_000_000))
    signatures.push(await rpc.call<string>('localnet_mintUsdc', [keyOf(wallet), 1_000_000_000_000]))
  }
  await untilConfirmed(connection, signatures, async () => localnet.stepSlot())
  // No fork of a round may remove the registry itself.
  localnet.stepSlot(40)
  return wallets
}
