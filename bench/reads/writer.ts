import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { openOrm } from '../../src/db/orm.ts'
import { insertEvents } from '../scale/dataset.ts'
import { key } from './dataset.ts'

const SESSIONS = 4
const PROGRAM = fileURLToPath(import.meta.url)

/**
 * Writes transactions as the indexer leaves them, a number each second: a report of behavior, which
 * changes the agent and adds an event. A process of its own does, so that the clients of the bench
 * do not wait for it. The result of `stop` is how many a second it has written.
 */
export async function writeTransactions(databaseUrl: string, agents: number, perSecond: number) {
  const child = fork(PROGRAM, [databaseUrl, String(agents), String(perSecond)])
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the writer ended')))
  ended.catch(() => undefined)
  const answer = async (): Promise<unknown> => (await Promise.race([once(child, 'message'), ended]))[0]
  await answer()
  return {
    stop: async (): Promise<number> => {
      child.send('stop')
      return (await answer()) as number
    },
  }
}

async function write(databaseUrl: string, agents: number, perSecond: number): Promise<void> {
  const orm = await openOrm({ url: databaseUrl })
  const kysely = orm.em.getKysely()
  // The slot of an event begins with its number.
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(slot) / 10000000, 0)::int as last from ledger_events`.execute(kysely)
  let last = rows[0]?.last ?? 0
  const stopping = new AbortController()
  process.once('message', () => stopping.abort())
  process.once('disconnect', () => process.exit(0))
  process.send?.('started')
  const start = performance.now()
  let written = 0
  const session = async (number: number): Promise<void> => {
    for (let turn = number; !stopping.signal.aborted; turn += SESSIONS) {
      await delay(Math.max(0, start + (turn * 1_000) / perSecond - performance.now()))
      // Spread over all agents.
      const agent = 1 + ((turn * 7_919) % agents)
      const event = (last += 1)
      await kysely.transaction().execute(async (work) => {
        await sql`
          update agents set reputation_score = (reputation_score + 1) % 1001, updated_at = now(), slot = slot + 1
          from (select ${agent}::int as i) as given where pda = ${key('agent')}`.execute(work)
        await insertEvents(work, agent, agent, event, event)
      })
      written += 1
    }
  }
  await Promise.all(Array.from({ length: SESSIONS }, (_, number) => session(number)))
  const rate = (written * 1_000) / (performance.now() - start)
  await orm.close()
  process.send?.(rate)
  process.disconnect()
}

if (process.argv[1] === PROGRAM) {
  const [databaseUrl = '', agents, perSecond] = process.argv.slice(2)
  await write(databaseUrl, Number(agents), Number(perSecond))
}
