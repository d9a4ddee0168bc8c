import { Keypair } from '@solana/web3.js'
import { sql } from 'kysely'
import { untilConfirmed } from '../../../src/compose/localnet/transaction-sender.ts'
import { WEBHOOK_EVENT_TYPES } from '../../../src/domain/webhook-events.ts'
import { createRegistryWorld, keyOf, type RegistryWorld } from '../../support/ledger/registry-world.ts'
import { kyselyOf } from '../../support/ledger/tables.ts'
import { createGatewayProcess } from '../../support/gateway-process.ts'
import { startOwnPostgres } from '../../support/own-postgres.ts'
import { WalletSends } from './wallet-sends.ts'

const WALLETS = 6

/**
 * A ledger in this process, a PostgreSQL that can restart, and a gateway process that can be
 * killed.
 */
export async function startModelRun() {
  const stack = new AsyncDisposableStack()
  const world = stack.adopt(await createRegistryWorld({ slotMs: 40 }), (each) => each.close())
  const postgres = stack.adopt(await startOwnPostgres(), (each) => each.close())
  const { orm } = postgres
  for (const [id, types] of Object.entries({
    all: WEBHOOK_EVENT_TYPES,
    some: ['agent.registered', 'stake.deposited', 'agent.reputation_updated'],
  }))
    await sql`
      insert into webhook_subscriptions (id, wallet, url, event_types, secret_encrypted)
      values (${id}, 'wallet', 'https://receiver.example', ${types}, '')`.execute(kyselyOf(orm))
  const gateway = await createGatewayProcess({
    DATABASE_URL: postgres.url,
    ...world.env,
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
      await postgres.start()
    },
    lastWords: () => gateway.output().slice(-6_000),
    close: () => stack.disposeAsync(),
  }
}
export type ModelRun = Awaited<ReturnType<typeof startModelRun>>

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
