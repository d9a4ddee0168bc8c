import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateLedger } from '../ledger/generate.ts'
import { serveLedger } from '../ledger/serve.ts'
import { openBenchDatabase } from '../reads/database.ts'
import { saveResult, compareRates } from '../support/result.ts'
import { spread } from '../support/statistics.ts'
import { auditAll } from './audit.ts'

const USUAL_AGENTS = 100_000
const AGENTS = Number(process.env.BENCH_AGENTS ?? USUAL_AGENTS)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const AUDITS = Number(process.env.BENCH_AUDITS ?? 5)
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

const dataDir = LEDGER ?? join(mkdtempSync(join(tmpdir(), 'gateway-bench-')), 'ledger')
if (!existsSync(dataDir)) {
  // Renamed when it is complete, so that a part of a ledger is never used.
  const partial = `${dataDir}.partial`
  rmSync(partial, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  generateLedger({
    dataDir: partial,
    agents: AGENTS,
    onProgress: (made) => process.stderr.write(`\r${made} transactions made`),
  })
  renameSync(partial, dataDir)
}

const ledger = await serveLedger(dataDir)
const read = async (...args: string[]): Promise<Reading> => {
  const reader = fileURLToPath(new URL('reader.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [reader, ...args])
  return JSON.parse(stdout) as Reading
}

// This unmeasured read fills the caches of the node, so that all measured reads find them filled.
await read('raw', ledger.rpcUrl)
const rounds: { raw: Reading; gateway: Reading }[] = []
let audits: Awaited<ReturnType<typeof auditAll>> | null = null
for (let round = 0; round < ROUNDS; round += 1) {
  const raw = await read('raw', ledger.rpcUrl)
  const database = await openBenchDatabase()
  const gateway = await read('gateway', ledger.rpcUrl, database.url)
  if (round === ROUNDS - 1)
    audits = await auditAll(
      database.orm.em.getKysely(),
      { SOLANA_RPC_URL: ledger.rpcUrl, DATABASE_URL: database.url },
      AUDITS,
    )
  await database.drop()
  process.stderr.write(`\nround ${round + 1}: ${JSON.stringify({ raw, gateway })}\n`)
  rounds.push({ raw, gateway })
}
await ledger.stop()
if (LEDGER === undefined) rmSync(dataDir, { recursive: true, force: true })

const perSecond = (of: 'raw' | 'gateway', what: 'transactions' | 'events' = 'transactions'): number[] =>
  rounds.map((each) => Math.round((each[of][what] ?? 0) / each[of].seconds))
saveResult(
  AGENTS === USUAL_AGENTS ? 'catch-up' : `catch-up-${AGENTS}`,
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
      ),
    ],
    figures: [
      { figure: 'events written', value: spread(perSecond('gateway', 'events')), unit: 'events/s' },
      {
        figure: 'peak of memory',
        value: spread(rounds.map((each) => each.gateway.maxRssMb)),
        unit: 'MiB',
      },
      ...(audits === null
        ? []
        : [
            {
              figure: 'audit of all of it',
              value: spread(audits.whole.map(({ seconds }) => seconds)),
              unit: 's',
            },
            {
              figure: 'differences that it found',
              value: Math.max(...audits.whole.map(({ report }) => report.differences.length)),
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
