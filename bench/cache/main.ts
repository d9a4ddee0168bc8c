import { sql } from 'kysely'
import { openBenchDatabase } from '../reads/database.ts'
import { makeDataset } from '../reads/dataset.ts'
import { shapesFor } from '../reads/shapes.ts'
import { startServer } from '../reads/variants.ts'
import { type Comparison, saveResult, compareRates } from '../support/result.ts'
import { spread } from '../support/statistics.ts'
import { type Load, load, type Target } from './load.ts'
import { writeEvery } from './writer.ts'

const AGENTS = Number(process.env.BENCH_AGENTS ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const CACHE_BYTES = 64 * 1024 * 1024
const WRITE_MS = 100
/** Enough time to compile the code of a process that was idle before. */
const WARM_UP_SECONDS = 3

const database = await openBenchDatabase()
const kysely = database.orm.em.getKysely()
await makeDataset(kysely, AGENTS)
const { rows } = await sql<{ pda: string }>`select pda from agents order by md5(pda)`.execute(kysely)
const pdas = rows.map((row) => row.pda)
const [raw, keeping, off] = await Promise.all([
  startServer('raw', database.url),
  startServer('rest', database.url, String(CACHE_BYTES)),
  startServer('rest', database.url),
])

const comparisons: Comparison[] = []
const details: object[] = []
/** Loads both in turns. */
async function compare(work: string, against: string, ours: Target, theirs: Target): Promise<void> {
  const rounds: { ours: Load; theirs: Load }[] = []
  await load(ours, WARM_UP_SECONDS)
  await load(theirs, WARM_UP_SECONDS)
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = round % 2 === 0 ? [ours, theirs] : [theirs, ours]
    const loads = new Map<Target, Load>()
    for (const target of order) loads.set(target, await load(target, SECONDS))
    rounds.push({ ours: loads.get(ours)!, theirs: loads.get(theirs)! })
  }
  const of = (side: 'ours' | 'theirs', value: keyof Load) => rounds.map((each) => each[side][value])
  comparisons.push(
    compareRates({ work, against, unit: 'requests/s' }, of('ours', 'perSecond'), of('theirs', 'perSecond')),
  )
  const cpuMicros = {
    gateway: spread(of('ours', 'cpuMicros')),
    other: spread(of('theirs', 'cpuMicros')),
  }
  details.push({ work, against, cpuMicros })
}

for (const { name, turns } of shapesFor(pdas[0] ?? '').slice(0, 3)) {
  const path = turns[0]?.path ?? ''
  const written = { server: raw, path }
  const tag = (await fetch(`http://127.0.0.1:${keeping.port}${path}`)).headers.get('etag') ?? ''
  await compare(`${name}, repeated`, 'hand-written routes', { server: keeping, path }, written)
  await compare(
    `${name}, not modified`,
    'hand-written routes',
    { server: keeping, path, ifNoneMatch: tag },
    written,
  )
  const writer = writeEvery(kysely, WRITE_MS)
  await compare(
    `${name}, repeated, a write every ${WRITE_MS} ms`,
    'hand-written routes',
    { server: keeping, path },
    written,
  )
  await writer.stop()
}
// More paths than the cache holds, in a cycle: no response is ever found.
const everNew: [string, readonly string[]][] = [
  ['list of 50', Array.from({ length: 10_000 }, (_, offset) => `/agents?limit=50&offset=${offset}`)],
  ['one agent', pdas.map((pda) => `/agents/${pda}`)],
]
for (const [name, paths] of everNew)
  await compare(
    `${name}, never repeated`,
    'the cache switched off',
    { server: keeping, path: paths },
    { server: off, path: paths },
  )

for (const server of [raw, keeping, off]) server.stop()
await database.drop()
const settings = { agents: AGENTS, rounds: ROUNDS, secondsPerRound: SECONDS, cacheBytes: CACHE_BYTES }
saveResult('cache', { comparisons }, { ...settings, details })
process.exit(0)
