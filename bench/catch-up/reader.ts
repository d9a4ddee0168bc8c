import { pubkey } from '@agent-registry/solana'
import { registryIdl } from '@agent-registry/program'
import { systemClock } from '../../src/platform/clock.ts'
import { openOrm } from '../../src/db/orm.ts'
import { createIndexer } from '../../src/ledger/indexer/indexer.ts'
import { createLedgerRpc } from '../../src/ledger/rpc/ledger-rpc.ts'
import { createLogger } from '../../src/platform/logger.ts'
import { webhookSink } from '../../src/webhooks/enqueue.ts'
import { rawRead } from './raw-read.ts'

/**
 * One read in its own process, so that its memory can be measured. Arguments: `raw RPC_URL` or
 * `gateway RPC_URL DATABASE_URL`.
 */
const [, , mode = '', rpcUrl = '', databaseUrl = ''] = process.argv

const began = performance.now()
const read = mode === 'raw' ? { transactions: await rawRead(rpcUrl), events: null } : await catchUp()
const seconds = (performance.now() - began) / 1000
const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
const cpuSeconds = (userCPUTime + systemCPUTime) / 1e6
process.stdout.write(
  `${JSON.stringify({ ...read, seconds, cpuSeconds, maxRssMb: Math.round(maxRSS / 1024) })}\n`,
)
process.exit(0)

async function catchUp(): Promise<{ transactions: number; events: number }> {
  const orm = await openOrm({ url: databaseUrl })
  const indexer = createIndexer({
    sink: webhookSink,
    orm,
    rpc: createLedgerRpc({ url: rpcUrl }),
    programId: pubkey(registryIdl.address),
    commitment: 'confirmed',
    clock: systemClock,
    logger: createLogger('warn', false),
  })
  indexer.start()
  await indexer.whenIdle()
  const { transactions, events } = indexer.status().counters
  return { transactions, events }
}
