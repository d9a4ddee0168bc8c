import { isDeepStrictEqual } from 'node:util'
import autocannon from 'autocannon'
import { sql } from 'kysely'
import { processorSeconds } from '../machine/processor-time.ts'
import { type Comparison, type Figure, saveResult, compareRates } from '../support/result.ts'
import { median, spread } from '../support/statistics.ts'
import { keptOptions, openBenchDatabase } from './database.ts'
import { makeDataset } from './dataset.ts'
import { addPostgraphileApi } from './postgraphile-api.ts'
import { answersOf, requestsOf, type Shape, shapesFor } from './shapes.ts'
import { type PerVariant, startVariants, type Variant } from './variants.ts'
import { writeTransactions } from './writer.ts'

const USUAL_AGENTS = 100_000
const AGENTS = Number(process.env.BENCH_AGENTS ?? USUAL_AGENTS)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
/** Transactions per second, in the rounds with a writer. */
const RATE = Number(process.env.BENCH_RATE ?? 200)
/** Measures only the shapes whose names begin with one of these. */
const SHAPES = process.env.BENCH_SHAPES?.split(',') ?? ['']
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 10)
/** Enough time to compile the code of a process that was idle before. */
const WARM_UP_SECONDS = Math.min(3, SECONDS)
const PAIRS = [
  { label: 'REST', ours: 'rest', other: 'raw', against: 'hand-written routes' },
  { label: 'REST', ours: 'rest', other: 'memory', against: 'the ceiling: memory that is never read again' },
  { label: 'GraphQL', ours: 'graphql', other: 'postgraphile', against: 'PostGraphile 5' },
  { label: 'GraphQL', ours: 'graphql', other: 'mercurius', against: 'Mercurius with JIT, hand-written' },
] as const
const OURS = { rest: 'REST', graphql: 'GraphQL' } as const
type Ours = keyof typeof OURS

interface Load {
  perSecond: number
  p99: number
  /** CPU time of the serving process per request, and of PostgreSQL. */
  cpuMicros: number
  databaseMicros: number
}
type Round = Partial<PerVariant<Load>>
type Cursors = Partial<PerVariant<string | null>>

interface Measured {
  readonly shape: string
  readonly variants: readonly Variant[]
  readonly idle: readonly Round[]
  /** With a writer. */
  readonly written: readonly Round[]
  /** At half of the idle rate. */
  readonly half: Partial<Record<Ours, Load>>
}

const database = await openBenchDatabase(keptOptions(`reads-${AGENTS}`))
const kysely = database.orm.em.getKysely()
await makeDataset(kysely, AGENTS)
await addPostgraphileApi(kysely)
const { rows } = await sql<{ pda: string }>`select pda from agents order by pda limit 1`.execute(kysely)
const servers = await startVariants(database.url)

const measured: Measured[] = []
const writerRates: number[] = []
const shapes = shapesFor(rows[0]?.pda ?? '').filter(({ name }) =>
  SHAPES.some((start) => name.startsWith(start)),
)
// Before the first transaction, from which on the ceiling's answers are old.
const cursors = new Map<Shape, Cursors>()
for (const shape of shapes) cursors.set(shape, await check(shape))
for (const shape of shapes) measured.push(await measure(shape))
for (const server of Object.values(servers)) server.stop()
await database.drop()

const settings = { agents: AGENTS, rounds: ROUNDS, secondsPerRound: SECONDS, connections: CONNECTIONS }
const name = AGENTS === USUAL_AGENTS ? 'reads' : `reads-${AGENTS}`
const result = { comparisons: measured.flatMap(comparisonsOf), figures: measured.flatMap(figuresOf) }
saveResult(name, result, { ...settings, rate: RATE, writerRates: spread(writerRates), measured })
process.exit(0)

/** Checks that all variants, warm, give the same response. Returns a cursor of each. */
async function check(shape: Shape): Promise<Cursors> {
  const found: Cursors = {}
  let expected: unknown
  for (const variant of shape.variants) {
    const { port } = servers[variant]
    found[variant] = (await answersOf(shape, variant, port, null)).cursor
    await load(shape, variant, found[variant], WARM_UP_SECONDS)
    const { answers } = await answersOf(shape, variant, port, found[variant])
    expected ??= answers
    if (!isDeepStrictEqual(answers, expected))
      throw new Error(`${variant} answers ${shape.name} differently from ${shape.variants[0]}`)
  }
  return found
}

/** Loads all variants in turns, without and with transactions. */
async function measure(shape: Shape): Promise<Measured> {
  const { variants } = shape
  const loadAll = async (round: number): Promise<Round> => {
    const loads: Round = {}
    for (const [turn] of variants.entries()) {
      const variant = variants[(turn + round) % variants.length]!
      loads[variant] = await load(shape, variant, cursorOf(shape, variant), SECONDS)
    }
    return loads
  }
  const [idle, written]: [Round[], Round[]] = [[], []]
  for (let round = 0; round < ROUNDS; round += 1) {
    idle.push(await loadAll(round))
    const writer = await writeTransactions(database.url, AGENTS, RATE)
    written.push(await loadAll(round))
    writerRates.push(await writer.stop())
  }
  const half: Measured['half'] = {}
  for (const variant of variants.filter((each) => each in OURS) as Ours[]) {
    const rate = median(ratesOf(idle, variant)) / 2
    half[variant] = await load(shape, variant, cursorOf(shape, variant), SECONDS, Math.round(rate))
  }
  process.stderr.write(`${shape.name} is measured\n`)
  return { shape: shape.name, variants, idle, written, half }
}

function cursorOf(shape: Shape, variant: Variant): string | null {
  return cursors.get(shape)?.[variant] ?? null
}

async function load(
  shape: Shape,
  variant: Variant,
  cursor: string | null,
  seconds: number,
  overallRate?: number,
): Promise<Load> {
  const server = servers[variant]
  const databaseSeconds = (): number =>
    database.pid === null ? NaN : (processorSeconds(database.pid) ?? NaN)
  const before = [await server.cpuMicros(), databaseSeconds()] as const
  const result = await autocannon({
    url: `http://127.0.0.1:${server.port}`,
    connections: CONNECTIONS,
    duration: seconds,
    requests: requestsOf(shape, variant, cursor),
    ...(overallRate !== undefined && { overallRate }),
  })
  if (result.errors + result.non2xx > 0) throw new Error(`${variant} failed under the load of ${shape.name}`)
  const { total } = result.requests
  return {
    perSecond: result.requests.average,
    p99: result.latency.p99,
    cpuMicros: ((await server.cpuMicros()) - before[0]) / total,
    databaseMicros: ((databaseSeconds() - before[1]) * 1e6) / total,
  }
}

function ratesOf(rounds: readonly Round[], variant: Variant): number[] {
  return rounds.map((loads) => loads[variant]?.perSecond ?? NaN)
}

function comparisonsOf({ shape, variants, idle, written }: Measured): Comparison[] {
  const pairs = PAIRS.filter(({ ours, other }) => variants.includes(ours) && variants.includes(other))
  const writing = `, ${RATE} transactions/s`
  return [
    ...pairs.flatMap(({ label, ours, other, against }) =>
      [idle, written].map((rounds) => {
        const work = `${label}: ${shape}${rounds === idle ? '' : writing}`
        return compareRates(
          { work, against, unit: 'requests/s' },
          ratesOf(rounds, ours),
          ratesOf(rounds, other),
        )
      }),
    ),
    ...oursOf(variants).map(([variant, label]) =>
      compareRates(
        { work: `${label}: ${shape}${writing}`, against: 'the same, idle', unit: 'requests/s' },
        ratesOf(written, variant),
        ratesOf(idle, variant),
      ),
    ),
  ]
}

function figuresOf({ shape, variants, idle, half }: Measured): Figure[] {
  const ours = oursOf(variants)
  const micros = ours.map(([variant, label]) => ({
    figure: `${label}: ${shape}, PostgreSQL`,
    value: spread(idle.map((loads) => loads[variant]?.databaseMicros ?? NaN)),
    unit: 'µs per request',
  }))
  const delays = ours.map(([variant, label]) => ({
    figure: `${label}: ${shape}, p99 at half of the load`,
    value: half[variant]?.p99 ?? NaN,
    unit: 'ms',
  }))
  return database.pid === null ? delays : [...micros, ...delays]
}

function oursOf(variants: readonly Variant[]): [Ours, string][] {
  return (Object.entries(OURS) as [Ours, string][]).filter(([variant]) => variants.includes(variant))
}
