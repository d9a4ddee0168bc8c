import { sql } from 'kysely'
import { migrate } from '../../src/db/migrate.ts'
import { openOrm } from '../../src/db/orm.ts'
import { temporaryFolder } from '../../test/support/temporary-folder.ts'
import { generateLedger } from '../ledger/generate.ts'
import { sendUpdates } from '../ledger/send-updates.ts'
import { serveLedger } from '../ledger/serve.ts'
import { makeDataset } from '../reads/dataset.ts'
import { compareRates, type Figure, saveResult } from '../support/result.ts'
import { spread } from '../support/statistics.ts'
import { startFollower } from '../visibility/follower.ts'
import { hasPgbouncer, hasPostgres, startPgbouncer, startPrimary, startStandby } from './postgres.ts'
import { load, type Load, shapesOf, startApi } from './reads.ts'
import { addWebhooks, type Lag, measureLag, measureWrites, setSynchronous } from './replication.ts'

const AGENTS = Number(process.env.BENCH_AGENTS ?? 100_000)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 10)
const RATE = Number(process.env.BENCH_RATE ?? 200)
const LEDGER_AGENTS = 200
const WARM_UP_SECONDS = Math.min(3, SECONDS)

if (!hasPostgres) {
  process.stderr.write(
    'bench growth needs an installed PostgreSQL with pg_basebackup: set BENCH_POSTGRES_BIN\n',
  )
  process.exit(1)
}
if (!hasPgbouncer) process.stderr.write('without PgBouncer: install it, or set BENCH_PGBOUNCER\n')

const folder = temporaryFolder('gateway-bench-growth-')
const postgres = await startPrimary(folder)
const pgbouncer = hasPgbouncer ? await startPgbouncer(folder, postgres) : null

const reads = await measureReads()
const { lags, writes } = await measureReplication()
for (const server of [pgbouncer, postgres]) await server?.stop()

const column = <Row>(rows: readonly Row[], read: (row: Row) => number) => rows.map(read)
const rate = ({ perSecond }: { perSecond: number }): number => perSecond
const comparisons = [
  ...reads.flatMap(({ work, one, two, pooled }) => [
    compareRates(
      { work: `${work}, two API processes`, against: 'one API process', unit: 'requests/s' },
      column(two, rate),
      column(one, rate),
    ),
    ...(pooled.length === 0
      ? []
      : [
          compareRates(
            { work: `${work}, by PgBouncer`, against: 'direct', unit: 'requests/s' },
            column(pooled, rate),
            column(one, rate),
          ),
        ]),
  ]),
  compareRates(
    { work: 'an event with 50 deliveries, synchronous standby', against: 'asynchronous', unit: 'commits/s' },
    column(writes.on, rate),
    column(writes.off, rate),
  ),
]
const micros = (figure: string, rows: readonly Load[], read: (row: Load) => number): Figure => ({
  figure,
  value: spread(column(rows, read)),
  unit: 'µs per request',
})
const lagFigures = (state: string, rows: readonly Lag[]): Figure[] => [
  { figure: `replication lag, ${state}, p50`, value: spread(column(rows, ({ p50 }) => p50)), unit: 'ms' },
  { figure: `replication lag, ${state}, p99`, value: spread(column(rows, ({ p99 }) => p99)), unit: 'ms' },
  { figure: `stale reads, ${state}`, value: spread(column(rows, ({ stale }) => stale)), unit: 'share' },
]
const figures = [
  ...reads.flatMap(({ work, one, pooled }) => [
    micros(`${work}: API process`, one, ({ apiMicros }) => apiMicros),
    micros(`${work}: PostgreSQL`, one, ({ postgresMicros }) => postgresMicros),
    ...(pooled.length === 0
      ? []
      : [micros(`${work}: PgBouncer`, pooled, ({ pgbouncerMicros }) => pgbouncerMicros)]),
  ]),
  ...lagFigures('idle', lags.idle),
  ...lagFigures('while indexing', lags.busy),
  {
    figure: 'commit with a synchronous standby, p99',
    value: spread(column(writes.on, ({ p99 }) => p99)),
    unit: 'ms',
  },
  { figure: 'commit without, p99', value: spread(column(writes.off, ({ p99 }) => p99)), unit: 'ms' },
]
const settings = { agents: AGENTS, rounds: ROUNDS, secondsPerRound: SECONDS, transactionsPerSecond: RATE }
saveResult('growth', { comparisons, figures }, { ...settings, reads, lags, writes })
process.exit(0)

/** One API process, two, and one behind PgBouncer, in turns. */
async function measureReads() {
  const orm = await openOrm({ url: postgres.url }, { statementTimeoutMs: 300_000 })
  await migrate(orm)
  const kysely = orm.em.getKysely()
  await makeDataset(kysely, AGENTS)
  const { rows } = await sql<{ pda: string }>`select pda from agents order by pda`.execute(kysely)
  await orm.close()
  const measured = []
  const shapes = shapesOf(rows.map(({ pda }) => pda))
  const start = () => startApi(postgres.url)
  const [first, second] = [await start(), await start()]
  const pooled = pgbouncer === null ? [] : [await startApi(pgbouncer.url)]
  const groups = { one: [first], two: [first, second], pooled }
  for (const shape of shapes) {
    const loads: Record<keyof typeof groups, Load[]> = { one: [], two: [], pooled: [] }
    for (let round = -1; round < ROUNDS; round += 1) {
      const names = (Object.keys(groups) as (keyof typeof groups)[]).filter((name) => groups[name].length > 0)
      for (const name of round % 2 === 0 ? names : names.toReversed()) {
        const seconds = round < 0 ? WARM_UP_SECONDS : SECONDS
        const result = await load(groups[name], shape, seconds, { postgres, pgbouncer })
        if (round >= 0) loads[name].push(result)
      }
    }
    measured.push({ work: shape.name, ...loads })
  }
  for (const api of [first, second, ...pooled]) await api.stop()
  return measured
}

/** The same server with a standby, on an empty database. */
async function measureReplication() {
  const admin = await openOrm({ url: postgres.url })
  await sql`drop schema public cascade`.execute(admin.em.getKysely())
  await sql`create schema public`.execute(admin.em.getKysely())
  await admin.close()
  const orm = await openOrm({ url: postgres.url })
  await migrate(orm)
  // The copy has it from the start.
  await sql`create table growth_lag (id integer)`.execute(orm.em.getKysely())
  const standby = await startStandby(folder, postgres)
  const rounds: { idle: Lag[]; busy: Lag[] } = { idle: [], busy: [] }
  const ledgerDir = temporaryFolder('gateway-bench-ledger-')
  generateLedger({ dataDir: ledgerDir, agents: LEDGER_AGENTS })
  const ledger = await serveLedger(ledgerDir, 400)
  const follower = await startFollower(ledger.rpcUrl, ledger.wsUrl, postgres.url)
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.idle.push(await measureLag(postgres, standby, SECONDS))
    const options = { rpcUrl: ledger.rpcUrl, dataDir: ledgerDir, perSecond: RATE, seconds: SECONDS + 1 }
    const [lag] = await Promise.all([measureLag(postgres, standby, SECONDS), sendUpdates(options)])
    rounds.busy.push(lag)
  }
  await follower.stop()
  await ledger.stop()
  await addWebhooks(orm)
  const written: Record<'on' | 'off', { perSecond: number; p99: number }[]> = { on: [], off: [] }
  for (let round = -1; round < ROUNDS; round += 1)
    for (const state of round % 2 === 0 ? (['on', 'off'] as const) : (['off', 'on'] as const)) {
      await setSynchronous(postgres, state === 'on')
      const result = await measureWrites(orm, round < 0 ? WARM_UP_SECONDS : SECONDS)
      if (round >= 0) written[state].push(result)
    }
  await setSynchronous(postgres, false)
  await orm.close()
  await standby.stop()
  return { lags: rounds, writes: written }
}
