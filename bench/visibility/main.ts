import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { WebSocket } from 'ws'
import { pubkey } from '@agent-registry/solana'
import { registryIdl } from '@agent-registry/program'
import { generateLedger } from '../ledger/generate.ts'
import { sendUpdates } from '../ledger/send-updates.ts'
import { serveLedger } from '../ledger/serve.ts'
import { openBenchDatabase } from '../reads/database.ts'
import { saveResult } from '../support/result.ts'
import { percentile, spread } from '../support/statistics.ts'
import { startFollower } from './follower.ts'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 120)
/** The time is divided into this many rounds. */
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const RATE = Number(process.env.BENCH_RATE ?? 200)
const AGENTS = 200
const POLL_MS = 5

/**
 * Measures from the node's announcement of a confirmed transaction, on a socket of this process,
 * until another database connection sees its event.
 */
const dataDir = mkdtempSync(join(tmpdir(), 'gateway-bench-visibility-'))
generateLedger({ dataDir, agents: AGENTS })
const ledger = await serveLedger(dataDir, 400)
const database = await openBenchDatabase()
const follower = await startFollower(ledger.rpcUrl, ledger.wsUrl, database.url)
const program = pubkey(registryIdl.address)

const confirmedAt = new Map<string, number>()
const rounds: number[][] = Array.from({ length: ROUNDS }, () => [])
const socket = new WebSocket(ledger.wsUrl)
await new Promise((resolve) => socket.once('open', resolve))
const subscription = [{ mentions: [program] }, { commitment: 'confirmed' }]
socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'logsSubscribe', params: subscription }))
socket.on('message', (data: Buffer) => {
  const { params } = JSON.parse(data.toString()) as {
    params?: { result?: { value?: { signature?: string } } }
  }
  const signature = params?.result?.value?.signature
  if (signature !== undefined) confirmedAt.set(signature, performance.now())
})

const reader = new Client({ connectionString: database.url })
await reader.connect()
const watch = { ended: false }
const began = performance.now()
const watching = untilEnded()

const sent = await sendUpdates({ rpcUrl: ledger.rpcUrl, dataDir, perSecond: RATE, seconds: SECONDS })
const seconds = (performance.now() - began) / 1000
// Waits for the confirmation of the last transactions.
await delay(2_000)
for (const end = Date.now() + 10_000; confirmedAt.size > 0 && Date.now() < end;) await delay(50)
watch.ended = true
await watching
socket.terminate()
await reader.end()
await follower.stop()
await database.drop()
await ledger.stop()
rmSync(dataDir, { recursive: true, force: true })

/** Polls every few milliseconds for confirmed transactions that were not visible before. */
async function untilEnded(): Promise<void> {
  while (!watch.ended) {
    const open = [...confirmedAt.keys()]
    if (open.length > 0) {
      const { rows } = await reader.query<{ signature: string }>(
        'select signature from ledger_transactions where signature = any($1)',
        [open],
      )
      const now = performance.now()
      const round = Math.min(ROUNDS - 1, Math.floor(((now - began) * ROUNDS) / (SECONDS * 1_000)))
      for (const { signature } of rows) {
        rounds[round]?.push(now - (confirmedAt.get(signature) ?? now))
        confirmedAt.delete(signature)
      }
    }
    await delay(POLL_MS)
  }
}

const figures = [50, 90, 99, 100].map((percent) => ({
  figure: `confirmed to visible, ${percent === 100 ? 'max' : `p${percent}`}`,
  value: spread(rounds.map((latencies) => percentile(latencies, percent))),
  unit: 'ms',
}))
saveResult(
  'visibility',
  { figures },
  {
    seconds: Math.round(seconds),
    transactionsPerSecond: Math.round(sent / seconds),
    seen: rounds.flat().length,
    neverSeen: confirmedAt.size,
  },
)
process.exit(0)
