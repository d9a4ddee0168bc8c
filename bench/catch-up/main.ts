import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateLedger } from '../ledger/generate.ts'
import { serveLedger } from '../ledger/serve.ts'
import { openBenchDatabase } from '../reads/database.ts'
import { saveResult, compareRates } from '../support/result.ts'
import { median, rounded } from '../support/statistics.ts'
import { auditTwice } from './audit.ts'

const AGENTS = Number(process.env.BENCH_AGENTS ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
/** A ledger that was generated before is used again. */
const LEDGER = process.env.BENCH_LEDGER_DIR

interface Reading {
  transactions: number
  /** Null if they are not decoded. */
  events: number | null
  seconds: number
  cpuSeconds: number
  maxRssMb: number
}

const dataDir = LEDGER ?? mkdtempSync(join(tmpdir(), 'gateway-bench-ledger-'))
if (!existsSync(join(dataDir, 'localnet')))
  generateLedger({
    dataDir,
    agents: AGENTS,
    onProgress: (made) => process.stderr.write(`\r${made} transactions made`),
  })

const ledger = await serveLedger(dataDir)
const read = async (...args: string[]): Promise<Reading> => {
  const reader = fileURLToPath(new URL('reader.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [reader, ...args])
  return JSON.parse(stdout) as Reading
}

// This unmeasured read fills the caches of the node, so that all measured reads find them filled.
await read('raw', ledger.rpcUrl)
const rounds: { raw: Reading; gateway: Reading; shareOfRaw: number }[] = []
let audits: Awaited<ReturnType<typeof auditTwice>> | null = null
for (let round = 0; round < ROUNDS; round += 1) {
  const raw = await read('raw', ledger.rpcUrl)
  const database = await openBenchDatabase()
  const gateway = await read('gateway', ledger.rpcUrl, database.url)
  if (round === ROUNDS - 1)
    audits = await auditTwice(database.orm.em.getKysely(), {
      SOLANA_RPC_URL: ledger.rpcUrl,
      DATABASE_URL: database.url,
    })
  await database.drop()
  const shareOfRaw = rounded(raw.seconds / gateway.seconds, 3)
  process.stderr.write(`\nround ${round + 1}: ${JSON.stringify({ raw, gateway, shareOfRaw })}\n`)
  rounds.push({ raw, gateway, shareOfRaw })
}
await ledger.stop()
if (LEDGER === undefined) rmSync(dataDir, { recursive: true, force: true })

const perSecond = (of: 'raw' | 'gateway', what: 'transactions' | 'events' = 'transactions'): number =>
  Math.round(median(rounds.map((each) => (each[of][what] ?? 0) / each[of].seconds)))
saveResult(
  'catch-up',
  {
    comparisons: [
      compareRates(
        {
          work: `read a history of ${rounds[0]?.gateway.transactions} transactions`,
          against: 'fetching the same pages, undecoded and unwritten',
          unit: 'transactions/s',
        },
        perSecond('gateway'),
        perSecond('raw'),
        median(rounds.map((each) => each.shareOfRaw)),
      ),
    ],
    figures: [
      { figure: 'events written', value: perSecond('gateway', 'events'), unit: 'events/s' },
      {
        figure: 'memory at most',
        value: Math.max(...rounds.map((each) => each.gateway.maxRssMb)),
        unit: 'MiB',
      },
      ...(audits === null
        ? []
        : [
            { figure: 'audit of all of it', value: audits.whole.seconds, unit: 's' },
            {
              figure: 'differences that it found',
              value: audits.whole.report.differences.length,
              unit: 'differences',
            },
            {
              figure: 'differences after one field was edited',
              value: audits.edited.audited.report.differences.length,
              unit: 'differences',
            },
          ]),
    ],
  },
  { agents: AGENTS, rounds, audits },
)
