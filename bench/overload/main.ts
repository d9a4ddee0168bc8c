import { sql } from 'kysely'
import { openBenchDatabase } from '../reads/database.ts'
import { makeDataset } from '../reads/dataset.ts'
import { saveResult, compareTimes } from '../support/result.ts'
import { median, rounded, spread } from '../support/statistics.ts'
import { type LoadReport, runLoad } from './load.ts'
import { type Server, startServer, type Variant, VARIANTS } from './servers.ts'
import type { Tally } from './tally.ts'

const AGENTS = Number(process.env.BENCH_AGENTS ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 60)
const TIMES_CAPACITY = Number(process.env.BENCH_TIMES_CAPACITY ?? 3)
const CAPACITY_SECONDS = 10

interface Round extends LoadReport {
  readonly maxRssMib: number | null
  /** Whether the process still ran and responded afterwards. */
  readonly alive: boolean
}

// Otherwise ten busy connections take the CPU from the process that refuses requests.
const database = await openBenchDatabase({ inBackground: true })
const kysely = database.orm.em.getKysely()
await makeDataset(kysely, AGENTS)
const { rows } = await sql<{ pda: string }>`select pda from agents order by pda`.execute(kysely)
const pdas = rows.map(({ pda }) => pda)

const capacityOf = async (variant: Variant): Promise<number> =>
  withServer(variant, async ({ url }) => {
    const order = { url, pdas, peakPerSecond: null, calmPerSecond: 0 }
    await runLoad({ ...order, seconds: 3 })
    return rounded(await runLoad<number>({ ...order, seconds: CAPACITY_SECONDS }), 0)
  })
const capacity = { gateway: await capacityOf('queueing'), raw: await capacityOf('raw') }
const peakPerSecond = TIMES_CAPACITY * capacity.gateway
const calmPerSecond = Math.ceil(capacity.gateway / 5)

const rounds: Record<Variant, Round[]> = { shedding: [], queueing: [], raw: [] }
for (let round = 0; round < ROUNDS; round += 1) {
  for (const variant of round % 2 === 0 ? VARIANTS : VARIANTS.toReversed())
    rounds[variant].push(await measure(variant))
}
await database.drop()

const of = (variant: Variant, read: (round: Round) => number): number => median(rounds[variant].map(read))
const span = (read: (round: Round) => Tally) => (variant: Variant) => {
  const value = (pick: (tally: Tally) => number): number => of(variant, (round) => pick(read(round)))
  return {
    offeredPerSecond: value((tally) => tally.offeredPerSecond),
    acceptedPerSecond: value((tally) => tally.acceptedPerSecond),
    refusedPerSecond: value((tally) => tally.refusedPerSecond),
    failedPerSecond: value((tally) => tally.failedPerSecond),
    acceptedMs: {
      p50: value((tally) => tally.acceptedMs.p50),
      p99: value((tally) => tally.acceptedMs.p99),
      max: value((tally) => tally.acceptedMs.max),
    },
    refusedMs: { p50: value((tally) => tally.refusedMs.p50), p99: value((tally) => tally.refusedMs.p99) },
  }
}
const variants = Object.fromEntries(
  VARIANTS.map((variant) => [
    variant,
    {
      before: span((round) => round.before)(variant),
      peak: span((round) => round.peak)(variant),
      after: span((round) => round.after)(variant),
      recoverySeconds: rounds[variant].map((round) => round.recoverySeconds),
      maxRssMib: rounds[variant].map((round) => round.maxRssMib),
      alive: rounds[variant].every((round) => round.alive),
    },
  ]),
)
const p99 = (variant: Variant): number[] => rounds[variant].map((round) => round.peak.acceptedMs.p99)
const recoveries = rounds.shedding.flatMap((round) => round.recoverySeconds ?? [])
const accepted = rounds.shedding.map((round) => round.peak.acceptedPerSecond)
const work = `answers at ${TIMES_CAPACITY}x capacity`
saveResult(
  'overload',
  {
    comparisons: [
      compareTimes({ work, against: 'hand-written routes', unit: 'ms p99' }, p99('shedding'), p99('raw')),
      compareTimes(
        { work, against: 'itself, refusing nothing', unit: 'ms p99' },
        p99('shedding'),
        p99('queueing'),
      ),
    ],
    figures: [
      { figure: `answered at ${TIMES_CAPACITY}x capacity`, value: spread(accepted), unit: 'requests/s' },
      {
        figure: 'of its capacity',
        value: spread(accepted.map((rate) => rate / capacity.gateway)),
        unit: 'share',
      },
      ...(recoveries.length === ROUNDS
        ? [{ figure: 'well again after the peak', value: spread(recoveries), unit: 's' }]
        : []),
    ],
  },
  {
    note: 'load, gateway and PostgreSQL share the processors, PostgreSQL with niceness 10; latencies are from the moment at which a request was due',
    agents: AGENTS,
    rounds: ROUNDS,
    seconds: SECONDS,
    capacityPerSecond: capacity,
    peakPerSecond,
    calmPerSecond,
    variants,
  },
)
process.exit(0)

async function withServer<Value>(variant: Variant, use: (server: Server) => Promise<Value>): Promise<Value> {
  const server = await startServer(variant, database.url)
  try {
    return await use(server)
  } finally {
    await server.stop()
  }
}

async function measure(variant: Variant): Promise<Round> {
  return withServer(variant, async (server) => {
    const order = { url: server.url, pdas, calmPerSecond }
    await runLoad({ ...order, peakPerSecond: null, seconds: 3 })
    const report = await runLoad<LoadReport>({ ...order, peakPerSecond, seconds: SECONDS })
    const maxRssMib = server.maxRssMib()
    const { status } = await fetch(`${server.url}/agents?limit=1`)
    return { ...report, maxRssMib, alive: status === 200 }
  })
}
