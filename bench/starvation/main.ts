import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { emptyRows } from '../../src/ledger/decode/rows.ts'
import { mergeEvents } from '../../src/ledger/indexer/write/write-events.ts'
import { openBenchDatabase } from '../reads/database.ts'
import { saveResult, compareTimes } from '../support/result.ts'
import { percentile } from '../support/statistics.ts'
import { webhookSink } from '../../src/webhooks/enqueue.ts'
import type { Arrivals } from '../webhooks/receivers.ts'

const RECEIVERS = 40
const HANGING = 20
const EVENTS = Number(process.env.BENCH_EVENTS ?? 100)
const PAUSE_MS = Number(process.env.BENCH_PAUSE_MS ?? 100)
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

/**
 * Commits single events. Returns the time from commit to each healthy receiver, in milliseconds.
 */
async function measure(hanging: boolean): Promise<number[]> {
  const receivers = await start('../webhooks/receivers.ts', String(RECEIVERS), String(HANGING))
  const { ports } = receivers.first as { ports: number[] }
  await kysely.deleteFrom('webhook_subscriptions').execute()
  await kysely
    .insertInto('webhook_subscriptions')
    .values(
      ports.map((port, receiver) => ({
        id: randomUUID(),
        wallet: 'bench',
        url: `http://r${receiver}.localhost:${port}/hook`,
        event_types: [...WEBHOOK_EVENT_TYPES],
        secret_encrypted: Buffer.from('whsec_bench'),
        active: hanging || receiver < RECEIVERS - HANGING,
      })),
    )
    .execute()
  const worker = await start('../webhooks/engine.ts', 'gateway, default limits', url)
  const committed = new Map<string, number>()
  for (let slot = 0; slot < EVENTS; slot += 1) {
    const id = `evt_${randomBytes(11).toString('hex')}`
    const type = 'agent.updated'
    const occurred_at = new Date().toISOString()
    const body = JSON.stringify({ id, type, pda: id, slot, timestamp: occurred_at, data: { agentPda: id } })
    const outbox = [{ id, event_id: id, type, agent_pda: id, slot, body, occurred_at }]
    await orm.em
      .fork()
      .transactional((em) =>
        mergeEvents(em.getKysely(), { ...emptyRows(), outbox_events: outbox }, webhookSink),
      )
    committed.set(id, now())
    await delay(PAUSE_MS)
  }
  receivers.child.send({ wanted: EVENTS * (RECEIVERS - HANGING) })
  const [message] = (await once(receivers.child, 'message')) as [Arrivals]
  const exited = once(worker.child, 'exit')
  worker.child.kill('SIGKILL')
  await exited
  receivers.child.disconnect()
  return message.arrived
    .filter(([, receiver]) => receiver < RECEIVERS - HANGING)
    .map(([id, , at]) => Math.max(0, at - (committed.get(id) ?? at)))
}

const alone: number[][] = []
const beside: number[][] = []
for (let round = 0; round < ROUNDS; round += 1) {
  alone.push(await measure(false))
  beside.push(await measure(true))
}
await database.drop()
const comparisons = [50, 99].map((percent) =>
  compareTimes(
    { work: 'deliver beside hanging receivers', against: 'the gateway without them', unit: `ms p${percent}` },
    beside.map((times) => percentile(times, percent)),
    alone.map((times) => percentile(times, percent)),
  ),
)
const settings = { receivers: RECEIVERS, hanging: HANGING, rounds: ROUNDS, events: EVENTS }
saveResult('starvation', { comparisons }, settings)
process.exit(0)
