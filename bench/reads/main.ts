import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'
import { sql } from 'kysely'
import type { Database } from '../../src/db/tables.ts'
import { openBenchDatabase } from './database.ts'
import { makeDataset } from './dataset.ts'

const AGENTS = Number(process.env.BENCH_AGENTS ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const CONNECTIONS = 10
const VARIANTS = ['raw', 'gateway'] as const

const database = await openBenchDatabase()
const { orm, url } = database
const kysely = orm.em.getKysely<Database>()
await makeDataset(kysely, AGENTS)
const { rows } = await sql<{ pda: string }>`select pda from agents order by pda limit 1`.execute(kysely)
const paths = {
  'list of 50': '/agents?limit=50',
  'one agent': `/agents/${rows[0]?.pda}`,
  'search by name': '/agents?name=Wether+Scot+a1b&limit=50',
}

const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [url])
const [ports] = (await once(child, 'message')) as [Record<(typeof VARIANTS)[number], number>]

const measured = []
for (const [shape, path] of Object.entries(paths)) {
  const urls = Object.fromEntries(VARIANTS.map((each) => [each, `http://127.0.0.1:${ports[each]}${path}`]))
  const bodies = await Promise.all(Object.values(urls).map(async (each) => (await fetch(each)).json()))
  const [expected, ...others] = bodies.map((body) => JSON.stringify(sortedKeys(body)))
  if (others.some((body) => body !== expected)) throw new Error(`The variants answer ${path} differently`)
  for (const each of Object.values(urls))
    await autocannon({ url: each, connections: CONNECTIONS, duration: 1 })

  const ratios: number[] = []
  const cpu: Record<string, number[]> = { raw: [], gateway: [] }
  const rates: Record<string, number[]> = { raw: [], gateway: [] }
  for (let round = 0; round < ROUNDS; round++) {
    const order = round % 2 === 0 ? VARIANTS : VARIANTS.toReversed()
    const rate: Record<string, number> = {}
    for (const variant of order) {
      const before = await cpuMicros()
      const result = await autocannon({
        url: urls[variant] ?? '',
        connections: CONNECTIONS,
        duration: SECONDS,
      })
      cpu[variant]?.push(((await cpuMicros()) - before) / result.requests.total)
      if (result.errors + result.non2xx > 0) throw new Error(`${variant} ${path} failed under load`)
      rate[variant] = result.requests.average
      rates[variant]?.push(result.requests.average)
    }
    ratios.push((rate.raw ?? 0) / (rate.gateway ?? 1))
  }
  measured.push({
    shape,
    rawPerSecond: Math.round(median(rates.raw ?? [])),
    gatewayPerSecond: Math.round(median(rates.gateway ?? [])),
    rawCpuMicros: Math.round(median(cpu.raw ?? [])),
    gatewayCpuMicros: Math.round(median(cpu.gateway ?? [])),
    timesRaw: Number(median(ratios).toFixed(2)),
    spread: ratios.map((ratio) => Number(ratio.toFixed(2))),
  })
}
child.disconnect()
await database.drop()

const result = {
  bench: 'reads',
  measuredAt: new Date().toISOString(),
  agents: AGENTS,
  rounds: ROUNDS,
  secondsPerRound: SECONDS,
  connections: CONNECTIONS,
  node: process.version,
  cpu: `${cpus().length} x ${cpus()[0]?.model}`,
  note: 'timesRaw is the median over rounds of raw requests per second / gateway requests per second',
  measured,
}
const file = new URL('../results/reads.json', import.meta.url)
mkdirSync(new URL('.', file), { recursive: true })
writeFileSync(file, `${JSON.stringify(result, null, 2)}\n`)
process.stdout.write(`${JSON.stringify(result, null, 2)}\n`)
process.exit(0)

/** User and system time of the serving process so far. */
async function cpuMicros(): Promise<number> {
  child.send('cpu')
  const [usage] = (await once(child, 'message')) as [NodeJS.CpuUsage]
  return usage.user + usage.system
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sortedKeys(each)]),
  )
}
