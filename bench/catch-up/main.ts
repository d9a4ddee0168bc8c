import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { generateLedger } from '../ledger/generate.ts'
import { serveLedger } from '../ledger/serve.ts'
import { openBenchDatabase } from '../reads/database.ts'

const AGENTS = Number(process.env.BENCH_AGENTS ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
/** A ledger made before is read again. */
const LEDGER = process.env.BENCH_LEDGER_DIR

interface Reading {
  transactions: number
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

const rounds: { raw: Reading; gateway: Reading; shareOfRaw: number }[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const raw = await read('raw', ledger.rpcUrl)
  const database = await openBenchDatabase()
  const gateway = await read('gateway', ledger.rpcUrl, database.url)
  await database.drop()
  const shareOfRaw = Number((raw.seconds / gateway.seconds).toFixed(3))
  process.stderr.write(`\nround ${round + 1}: ${JSON.stringify({ raw, gateway, shareOfRaw })}\n`)
  rounds.push({ raw, gateway, shareOfRaw })
}
await ledger.stop()
if (LEDGER === undefined) rmSync(dataDir, { recursive: true, force: true })

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const perSecond = (readings: Reading[]): number =>
  Math.round(median(readings.map((each) => each.transactions / each.seconds)))
const result = {
  bench: 'catch-up',
  measuredAt: new Date().toISOString(),
  cpu: cpus()[0]?.model,
  cores: cpus().length,
  node: process.version,
  transactions: rounds[0]?.gateway.transactions,
  rawTransactionsPerSecond: perSecond(rounds.map((each) => each.raw)),
  gatewayTransactionsPerSecond: perSecond(rounds.map((each) => each.gateway)),
  shareOfRaw: median(rounds.map((each) => each.shareOfRaw)),
  maxRssMb: Math.max(...rounds.map((each) => each.gateway.maxRssMb)),
  rounds,
}
const folder = fileURLToPath(new URL('../results', import.meta.url))
mkdirSync(folder, { recursive: true })
writeFileSync(`${folder}/catch-up.json`, `${JSON.stringify(result, null, 2)}\n`)
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
