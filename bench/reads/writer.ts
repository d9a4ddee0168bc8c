import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'
import { insertEvents } from '../scale/dataset.ts'
import { key } from './dataset.ts'

const SESSIONS = 4
/**
 * Writes transactions as the indexer leaves them, a number each second: a report of behavior, which
 * changes the agent and adds an event. The result of `stop` is how many a second it has written.
 */
export async function writeTransactions(kysely: Kysely<Database>, agents: number, perSecond: number) {
  // The slot of an event begins with its number.
  const { rows } = await sql<{ last: number }>`
    select coalesce(max(slot) / 10000000, 0)::int as last from ledger_events`.execute(kysely)
  let last = rows[0]?.last ?? 0
  const start = performance.now()
  let written = 0
  const stopping = new AbortController()
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
  const sessions = Promise.all(Array.from({ length: SESSIONS }, (_, number) => session(number)))
  sessions.catch(() => undefined)
  return {
    stop: async (): Promise<number> => {
      stopping.abort()
      await sessions
      return (written * 1_000) / (performance.now() - start)
    },
  }
}
