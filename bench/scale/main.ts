import autocannon from 'autocannon'
import { sql } from 'kysely'
import { startReadingGateway } from '../gateway.ts'
import { processorSeconds } from '../machine/processor-time.ts'
import { keptOptions, openBenchDatabase } from '../reads/database.ts'
import { writeTransactions } from '../reads/writer.ts'
import { residentMib } from '../support/memory.ts'
import { type Figure, saveResult } from '../support/result.ts'
import { median, rounded, spread } from '../support/statistics.ts'
import { fill, TABLES } from './dataset.ts'
import { type Read, readsOf, type SampleAgent } from './reads.ts'

/**
 * Measures every read over a number of agents with five events each. Compare the results of several
 * sizes. With BENCH_KEEP_DIR the database is kept for the next run, also if filling is interrupted.
 */
const AGENTS = Number(process.env.BENCH_AGENTS ?? 10_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
/** Transactions per second, in the rounds with a writer. */
const RATE = Number(process.env.BENCH_RATE ?? 200)
const CONNECTIONS = 10
const SAMPLES = 200

const database = await openBenchDatabase(keptOptions(`scale-${AGENTS}`))
const kysely = database.orm.em.getKysely()
const began = performance.now()
await fill(kysely, AGENTS)
const fillSeconds = Math.round((performance.now() - began) / 1_000)
const { rows: samples } = await sql<SampleAgent>`
  select pda, owner, name from agents where not card_hash_mismatch order by md5(pda) limit ${SAMPLES}`.execute(
  kysely,
)
const { rows: first } = await sql<{ pda: string }>`select pda from agents where slot = 1`.execute(kysely)

const gateway = await startReadingGateway(database.url, { MAX_REQUESTS_IN_FLIGHT: '0' })
const reads = readsOf(samples, AGENTS, first[0]?.pda ?? '', await firstCursor())
const startMib = residentMib(gateway.pid, 'now')
for (const read of reads) {
  await check(read)
  await load(read, 1)
}
const loads = reads.map((read) => ({ read, idle: [] as Load[], written: [] as Load[] }))
const writerRates: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  for (const { read, idle } of loads) idle.push(await load(read, SECONDS))
  const writer = await writeTransactions(database.url, AGENTS, RATE)
  for (const { read, written } of loads) written.push(await load(read, SECONDS))
  writerRates.push(await writer.stop())
  process.stderr.write(`round ${round + 1} of ${ROUNDS}\n`)
}
const half = new Map<Read, Load>()
for (const { read, idle } of loads)
  half.set(read, await load(read, SECONDS, Math.round(median(idle.map(({ perSecond }) => perSecond)) / 2)))
const memory = [
  ['memory of the gateway at its start', startMib],
  ['memory of the gateway after the reads', residentMib(gateway.pid, 'now')],
  ['memory of the gateway, peak', residentMib(gateway.pid, 'peak')],
] as const
await gateway.stop()
const megabytes = await tableMegabytes()
await database.drop()

const figures: Figure[] = [
  ...loads.flatMap(({ read, idle, written }) => figuresOf(read, idle, written)),
  ...memory.flatMap(([figure, value]) => (value === null ? [] : [{ figure, value, unit: 'MiB' }])),
  { figure: 'database', value: megabytes['database'] ?? 0, unit: 'MB' },
]
const settings = { agents: AGENTS, rounds: ROUNDS, secondsPerRound: SECONDS, connections: CONNECTIONS }
saveResult(
  `scale-${AGENTS}`,
  { figures },
  {
    ...settings,
    writerRates: spread(writerRates),
    fillSeconds,
    megabytes,
  },
)
process.exit(0)

/** Of the end of the first page. */
async function firstCursor(): Promise<string> {
  const query = encodeURIComponent('{ agents(first: 50) { pageInfo { endCursor } } }')
  const text = await (await fetch(`${gateway.baseUrl}/graphql?query=${query}`)).text()
  return /"endCursor":"(.*?)"/.exec(text)?.[1] ?? ''
}

/** Throws for a refused query, whose status is 200. */
async function check({ name, paths: [path = ''], body }: Read): Promise<void> {
  if (body === undefined) return
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(gateway.baseUrl + path, { method: 'POST', headers, body })
  const text = await response.text()
  if (text.includes('"errors"')) throw new Error(`${name} was answered ${text}`)
}

interface Load {
  readonly perSecond: number
  readonly p99: number
  /** Of PostgreSQL, per request. NaN with DATABASE_URL. */
  readonly databaseMicros: number
}

async function load({ name, paths, body }: Read, seconds: number, overallRate?: number): Promise<Load> {
  let next = 0
  const databaseSeconds = (): number =>
    database.pid === null ? NaN : (processorSeconds(database.pid) ?? NaN)
  const before = databaseSeconds()
  const result = await autocannon({
    url: gateway.baseUrl,
    connections: CONNECTIONS,
    duration: seconds,
    ...(body === undefined
      ? {}
      : { method: 'POST' as const, headers: { 'content-type': 'application/json' }, body }),
    ...(overallRate !== undefined && { overallRate }),
    requests: [
      { setupRequest: (request) => Object.assign(request, { path: paths[next++ % paths.length] ?? '' }) },
    ],
  })
  if (result.errors + result.non2xx > 0) throw new Error(`${name} failed under load`)
  return {
    perSecond: rounded(result.requests.average, 1),
    p99: result.latency.p99,
    databaseMicros: ((databaseSeconds() - before) * 1e6) / result.requests.total,
  }
}

function figuresOf(read: Read, idle: readonly Load[], written: readonly Load[]): Figure[] {
  const { name } = read
  const rates = (rounds: readonly Load[]) => spread(rounds.map(({ perSecond }) => perSecond))
  const micros = spread(idle.map(({ databaseMicros }) => databaseMicros))
  return [
    { figure: name, value: rates(idle), unit: 'requests/s' },
    { figure: `${name}, ${RATE} transactions/s`, value: rates(written), unit: 'requests/s' },
    { figure: `${name}, p99 at half of the load`, value: half.get(read)?.p99 ?? NaN, unit: 'ms' },
    ...(database.pid === null
      ? []
      : [{ figure: `${name}, PostgreSQL`, value: micros, unit: 'µs per request' }]),
  ]
}

/** Sizes of the database and of its large tables with their indexes. */
async function tableMegabytes(): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select 'database' as name, pg_database_size(current_database()) as bytes
    union all select name, pg_total_relation_size(name::regclass) from unnest(${[...TABLES]}::text[]) as name`.execute(
    kysely,
  )
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Math.round(bytes / 1e6)]))
}
