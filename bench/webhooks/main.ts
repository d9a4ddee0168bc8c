import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { emptyRows, type IndexedRow } from '../../src/ledger/decode/rows.ts'
import { mergeEvents } from '../../src/ledger/indexer/write/write-events.ts'
import { openBenchDatabase } from '../reads/database.ts'
import { saveResult, compareRates, compareTimes } from '../support/result.ts'
import { percentile, rounded } from '../support/statistics.ts'
import { CONCURRENCY, type Engine, ENGINES, GRAPHILE_WORKER } from './engines.ts'
import { webhookSink } from '../../src/webhooks/enqueue.ts'
import type { Arrivals } from './receivers.ts'

const RECEIVERS = 50
/** Events of one burst. Each goes to every receiver. */
const BURST = Number(process.env.BENCH_BURST ?? 200)
/** Single events with pauses between them. Each goes to every receiver. */
const SINGLES = Number(process.env.BENCH_SINGLES ?? 40)
const PAUSE_MS = Number(process.env.BENCH_PAUSE_MS ?? 250)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)

const start = async (file: string, ...args: string[]): Promise<{ child: ChildProcess; first: unknown }> => {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args)
  const [first] = (await once(child, 'message')) as [unknown]
  return { child, first }
}
const now = (): number => performance.timeOrigin + performance.now()

const database = await openBenchDatabase()
const { orm, url } = database
const kysely = orm.em.fork().getKysely()
const receivers = await start('./receivers.ts', String(RECEIVERS))
const { ports } = receivers.first as { ports: number[] }
const { makeWorkerUtils } = (await import(GRAPHILE_WORKER)) as {
  makeWorkerUtils: (options: object) => Promise<{ migrate(): Promise<void>; release(): Promise<void> }>
}
const utils = await makeWorkerUtils({ connectionString: url })
await utils.migrate()
await utils.release()
await kysely
  .insertInto('webhook_subscriptions')
  .values(
    ports.map((port, receiver) => ({
      id: randomUUID(),
      // Each receiver belongs to another user, so that all slots can be used.
      wallet: `bench ${receiver}`,
      url: `http://r${receiver}.localhost:${port}/hook`,
      event_types: [...WEBHOOK_EVENT_TYPES],
      secret_encrypted: Buffer.from('whsec_bench'),
    })),
  )
  .execute()

let slot = 0
function event(): IndexedRow<'outbox_events'> {
  slot += 1
  const id = `evt_${randomBytes(11).toString('hex')}`
  const occurred_at = new Date().toISOString()
  const data = { agentPda: id, owner: id, changes: { name: { old: 'a'.repeat(30), new: 'b'.repeat(30) } } }
  const body = JSON.stringify({ id, type: 'agent.updated', pda: id, slot, timestamp: occurred_at, data })
  return { id, event_id: id, type: 'agent.updated', agent_pda: id, slot, body, occurred_at }
}

/** Commits events and their deliveries in one transaction. Returns the time of the commit. */
async function commit(engine: Engine, events: IndexedRow<'outbox_events'>[]): Promise<number> {
  await orm.em.fork().transactional(async (em) => {
    const db = em.getKysely()
    await mergeEvents(db, { ...emptyRows(), outbox_events: events }, webhookSink)
    if (engine === 'gateway') return
    await sql`
      select graphile_worker.add_jobs(array(
        select json_populate_record(null::graphile_worker.job_spec, json_build_object(
          'identifier', 'deliver', 'payload', json_build_object('subscription', s.id, 'event', o.id)))
        from outbox_events o, webhook_subscriptions s
        where o.id = any(${events.map(({ id }) => id)}) order by o.sequence))`.execute(db)
  })
  return now()
}

async function arrivals(count: number): Promise<Arrivals['arrived']> {
  receivers.child.send({ wanted: count })
  const [message] = (await once(receivers.child, 'message')) as [Arrivals]
  const distinct = new Set(message.arrived.map(([id, receiver]) => `${id} ${receiver}`))
  if (distinct.size !== count) throw new Error(`${distinct.size} of ${count} deliveries arrived`)
  return message.arrived
}

async function measure(engine: Engine): Promise<{ perSecond: number; latencies: number[] }> {
  // The webhooks are active only for the gateway, so that the other engine's events are not
  // enqueued twice.
  await kysely
    .updateTable('webhook_subscriptions')
    .set({ active: engine === 'gateway' })
    .execute()
  const worker = await start('./engine.ts', engine, url)
  await commit(engine, [event()])
  await arrivals(RECEIVERS)
  await delay(500)

  const burst = Array.from({ length: BURST }, event)
  const began = now()
  for (let at = 0; at < BURST; at += 20) await commit(engine, burst.slice(at, at + 20))
  const burstArrived = await arrivals(BURST * RECEIVERS)
  const perSecond = (BURST * RECEIVERS * 1_000) / (Math.max(...burstArrived.map(([, , at]) => at)) - began)
  await delay(2_000)

  const committed = new Map<string, number>()
  for (let single = 0; single < SINGLES; single += 1) {
    const one = event()
    committed.set(one.id, await commit(engine, [one]))
    await delay(PAUSE_MS)
  }
  const singles = await arrivals(SINGLES * RECEIVERS)
  worker.child.send('stop')
  await once(worker.child, 'exit')
  return { perSecond, latencies: singles.map(([id, , at]) => Math.max(0, at - (committed.get(id) ?? at))) }
}

interface Round {
  readonly deliveriesPerSecond: number
  readonly commitToReceivedMs: { readonly p50: number; readonly p99: number }
}
const rounds: Record<Engine, Round>[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const measured: Partial<Record<Engine, Round>> = {}
  for (const turn of ENGINES.keys()) {
    const engine = ENGINES[(turn + round) % ENGINES.length] ?? 'gateway'
    const { perSecond, latencies } = await measure(engine)
    measured[engine] = {
      deliveriesPerSecond: Math.round(perSecond),
      commitToReceivedMs: {
        p50: rounded(percentile(latencies, 50)),
        p99: rounded(percentile(latencies, 99)),
      },
    }
    process.stderr.write(`${engine}: ${JSON.stringify(measured[engine])}\n`)
  }
  rounds.push(measured as Record<Engine, Round>)
}
receivers.child.disconnect()
await database.drop()
const comparisons = ENGINES.filter((engine) => engine !== 'gateway').flatMap((against) => {
  const of = (engine: Engine, read: (round: Round) => number) => rounds.map((each) => read(each[engine]))
  const rate = (engine: Engine) => of(engine, (round) => round.deliveriesPerSecond)
  const time = (which: 'p50' | 'p99') =>
    compareTimes(
      { work: 'deliver one event', against, unit: `ms ${which}` },
      of('gateway', (round) => round.commitToReceivedMs[which]),
      of(against, (round) => round.commitToReceivedMs[which]),
    )
  const burst = { work: 'deliver a burst', against, unit: 'deliveries/s' }
  return [compareRates(burst, rate('gateway'), rate(against)), time('p50'), time('p99')]
})
const settings = {
  receivers: RECEIVERS,
  concurrency: CONCURRENCY,
  burstDeliveries: BURST * RECEIVERS,
  singleEvents: SINGLES,
}
saveResult('webhooks', { comparisons }, { ...settings, rounds })
process.exit(0)
