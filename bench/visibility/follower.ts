import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { pubkey } from '@agent-registry/solana'
import { registryIdl } from '@agent-registry/program'
import { systemClock } from '../../src/platform/clock.ts'
import { openOrm } from '../../src/db/orm.ts'
import { createIndexer } from '../../src/ledger/indexer/indexer.ts'
import { createLedgerRpc } from '../../src/ledger/rpc/ledger-rpc.ts'
import { webhookSink } from '../../src/webhooks/enqueue.ts'
import { createLogger } from '../../src/platform/logger.ts'

/** The indexer with default settings in its own process. Resolves when it has caught up. */
export async function startFollower(...args: string[]): Promise<{ stop(): Promise<void> }> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return {
    stop: async () => {
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , rpcUrl = '', wsUrl = '', databaseUrl = ''] = process.argv
  const indexer = createIndexer({
    sink: webhookSink,
    orm: await openOrm({ url: databaseUrl }),
    rpc: createLedgerRpc({ url: rpcUrl }),
    wsUrl,
    programId: pubkey(registryIdl.address),
    commitment: 'confirmed',
    clock: systemClock,
    logger: createLogger('warn', false),
  })
  indexer.start()
  await indexer.whenIdle()
  process.stdout.write('caught up\n')
}
