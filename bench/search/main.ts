import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import autocannon from 'autocannon'
import { sql } from 'kysely'
import { openBenchDatabase } from '../reads/database.ts'
import { makeDataset } from '../reads/dataset.ts'
import { type Server, startServer } from '../reads/variants.ts'
import { type Comparison, compareRates, type Figure, saveResult } from '../support/result.ts'
import { rounded, spread } from '../support/statistics.ts'
import { HOSTILE_NAME, HOSTILE_SEARCHES, SEARCHES } from './searches.ts'

/** With more agents, some searches take PostgreSQL minutes, so only memory is measured. */
const USUAL_AGENTS = 100_000
const AGENTS = Number(process.env.BENCH_AGENTS ?? USUAL_AGENTS)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 5)
const CONNECTIONS = 8
const MEGABYTE = 1e6
const IDLE_POLL_MS = 50
/** Requests per second at which the delay of the event loop is measured. */
const RATE = 100

interface Load {
  readonly perSecond: number
  readonly p50: number
  readonly p99: number
  /** Of the event loop, in milliseconds. */
  readonly delayP99: number
  readonly delayMax: number
}

const database = await openBenchDatabase()
const kysely = database.orm.em.getKysely()
await makeDataset(kysely, AGENTS)

const comparisons: Comparison[] = []
const figures: Figure[] = []
const measured: object[] = []
await compareAll(SEARCHES)
await sql`update agents set name = ${sql.raw(HOSTILE_NAME)}`.execute(kysely)
await sql`vacuum analyze agents`.execute(kysely)
await compareAll(HOSTILE_SEARCHES)
await database.drop()
const settings = { agents: AGENTS, rounds: ROUNDS, secondsPerRound: SECONDS, connections: CONNECTIONS }
const name = AGENTS === USUAL_AGENTS ? 'search' : `search-${AGENTS}`
saveResult(name, { comparisons, figures }, { ...settings, measured })
process.exit(0)

/** Starts a service that searches in memory and one that does not, and loads them in turns. */
async function compareAll(searches: Record<string, string>): Promise<void> {
  const direct = AGENTS > USUAL_AGENTS ? null : await startServer('rest', database.url, '0', 'no-search')
  const started = performance.now()
  const searching = await startServer('rest', database.url, '0')
  const startMs = performance.now() - started
  for (const [name, query] of Object.entries(searches)) await compare(name, query, searching, direct)
  if (searches === SEARCHES) {
    const memory = async (server: Server) => (await server.usage()).residentBytes / MEGABYTE
    figures.push(
      { figure: 'start with searches in memory', value: Math.round(startMs), unit: 'ms' },
      { figure: 'memory with searches', value: Math.round(await memory(searching)), unit: 'MB' },
    )
    if (direct !== null)
      figures.push({
        figure: 'memory without',
        value: Math.round(await memory(direct)),
        unit: 'MB',
      })
  }
  searching.stop()
  direct?.stop()
}

async function compare(name: string, query: string, searching: Server, direct: Server | null): Promise<void> {
  const path = `/agents?${query}&limit=50`
  const servers = [searching, ...(direct === null ? [] : [direct])]
  const [ours, theirs = ours] = await Promise.all(
    servers.map(async ({ port }) => (await fetch(`http://127.0.0.1:${port}${path}`)).json()),
  )
  if (!isDeepStrictEqual(ours, theirs)) throw new Error(`memory answers ${query} differently`)
  for (const server of servers) await load(path, server, 1)
  const loads: Load[][] = servers.map(() => [])
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = servers.map((_, at) => (at + round) % servers.length)
    for (const at of order) loads[at]?.push(await load(path, servers[at] ?? searching, SECONDS))
  }
  const [own = [], other] = loads
  const of = (value: keyof Load, side = own) => side.map((each) => each[value])
  // There is no ratio if PostgreSQL answered nothing in a round.
  if (other === undefined || other.some(({ perSecond }) => perSecond === 0))
    figures.push({ figure: `${name}: rate`, value: spread(of('perSecond')), unit: 'requests/s' })
  else
    comparisons.push(
      compareRates(
        { work: name, against: 'PostgreSQL alone', unit: 'requests/s' },
        of('perSecond'),
        of('perSecond', other),
      ),
    )
  figures.push(
    { figure: `${name}: p50`, value: spread(of('p50')), unit: 'ms' },
    { figure: `${name}: p99`, value: spread(of('p99')), unit: 'ms' },
    { figure: `${name}: event loop delay p99`, value: spread(of('delayP99')), unit: 'ms' },
    { figure: `${name}: event loop delay max`, value: spread(of('delayMax')), unit: 'ms' },
  )
  const steady = await load(path, searching, SECONDS, RATE)
  figures.push(
    { figure: `${name}: p99 at ${RATE}/s`, value: rounded(steady.p99, 1), unit: 'ms' },
    { figure: `${name}: event loop delay p99 at ${RATE}/s`, value: rounded(steady.delayP99, 1), unit: 'ms' },
    { figure: `${name}: event loop delay max at ${RATE}/s`, value: rounded(steady.delayMax, 1), unit: 'ms' },
  )
  measured.push({ steady, search: name, total: (ours as { total: number }).total, own, other })
}

/** Without `overallRate`, each connection sends its next request after an answer. */
async function load(path: string, server: Server, seconds: number, overallRate?: number): Promise<Load> {
  await whenIdle()
  await server.usage()
  const url = `http://127.0.0.1:${server.port}${path}`
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, overallRate })
  if (result.errors + result.non2xx > 0) throw new Error(`${path} failed under load`)
  const { delayP99, delayMax } = await server.usage()
  const { p50, p99 } = result.latency
  return { perSecond: result.requests.average, p50, p99, delayP99, delayMax }
}

/** Waits until PostgreSQL has ended the statements of a load before. */
async function whenIdle(): Promise<void> {
  for (;;) {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`.execute(kysely)
    if (rows.length === 0) return
    await delay(IDLE_POLL_MS)
  }
}
