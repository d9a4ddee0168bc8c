import { isDeepStrictEqual } from 'node:util'
import autocannon from 'autocannon'
import { sql } from 'kysely'
import { type Comparison, saveResult, compareRates } from '../support/result.ts'
import { median } from '../support/statistics.ts'
import { openBenchDatabase } from './database.ts'
import { makeDataset } from './dataset.ts'
import { addPostgraphileApi } from './postgraphile-api.ts'
import { answerOf, requestOf, type Shape, shapesFor } from './shapes.ts'
import {
  perVariant,
  type PerVariant,
  type Server,
  startVariants,
  type Variant,
  VARIANTS,
} from './variants.ts'

const AGENTS = Number(process.env.BENCH_AGENTS ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const CONNECTIONS = 10
/** Enough time to compile the code of a process that was idle before. */
const WARM_UP_SECONDS = 3
const PAIRS = [
  { label: 'REST', ours: 'rest', other: 'raw', against: 'hand-written routes' },
  { label: 'GraphQL', ours: 'graphql', other: 'postgraphile', against: 'PostGraphile 5' },
  { label: 'GraphQL', ours: 'graphql', other: 'mercurius', against: 'Mercurius with JIT, hand-written' },
] as const

interface Load {
  perSecond: number
  /** CPU time of the serving process per request. */
  cpuMicros: number
}

const database = await openBenchDatabase()
const kysely = database.orm.em.getKysely()
await makeDataset(kysely, AGENTS)
await addPostgraphileApi(kysely)
const { rows } = await sql<{ pda: string }>`select pda from agents order by pda limit 1`.execute(kysely)
const servers = await startVariants(database.url)

const measured = []
for (const shape of shapesFor(rows[0]?.pda ?? '')) measured.push(await compare(shape, servers))
for (const server of Object.values(servers)) server.stop()
await database.drop()

const comparisons = measured.flatMap(({ shape, rounds }) =>
  PAIRS.map(({ ours, other, label, against }): Comparison => {
    const rates = (variant: Variant) => rounds.map((loads) => loads[variant].perSecond)
    const work = { work: `${label}: ${shape}`, against, unit: 'requests/s' }
    return compareRates(work, rates(ours), rates(other))
  }),
)
const settings = { agents: AGENTS, rounds: ROUNDS, secondsPerRound: SECONDS, connections: CONNECTIONS }
saveResult('reads', { comparisons }, { ...settings, measured })
process.exit(0)

/** Checks that all variants, warm, give the same response. Then loads them in turns. */
async function compare(shape: Shape, started: PerVariant<Server>) {
  const expected = await answerOf(shape, 'raw', started.raw.port)
  for (const variant of VARIANTS) {
    await load(shape, variant, started[variant], WARM_UP_SECONDS)
    const answer = await answerOf(shape, variant, started[variant].port)
    if (!isDeepStrictEqual(answer, expected)) throw new Error(`${variant} answers ${shape.name} differently`)
  }
  const rounds: PerVariant<Load>[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const loads: Partial<PerVariant<Load>> = {}
    const order = VARIANTS.map((_, turn) => VARIANTS[(turn + round) % VARIANTS.length] ?? 'raw')
    for (const variant of order) loads[variant] = await load(shape, variant, started[variant], SECONDS)
    rounds.push(loads as PerVariant<Load>)
  }
  const cpuMicros = perVariant((variant) => Math.round(median(rounds.map((each) => each[variant].cpuMicros))))
  return { shape: shape.name, cpuMicros, rounds }
}

async function load(shape: Shape, variant: Variant, server: Server, seconds: number): Promise<Load> {
  const before = await server.cpuMicros()
  const request = requestOf(shape, variant, server.port)
  const result = await autocannon({ ...request, connections: CONNECTIONS, duration: seconds })
  if (result.errors + result.non2xx > 0) throw new Error(`${variant} failed under the load of ${shape.name}`)
  return {
    perSecond: result.requests.average,
    cpuMicros: ((await server.cpuMicros()) - before) / result.requests.total,
  }
}
