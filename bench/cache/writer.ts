import { setTimeout as delay } from 'node:timers/promises'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../../src/db/database.ts'

/** Changes an agent every `everyMs` milliseconds, so that cached responses with agents expire. */
export function writeEvery(kysely: Kysely<Database>, everyMs: number): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const writing = (async () => {
    for (;;) {
      await sql`
        update agents set reputation_score = (reputation_score + 1) % 1000
        where pda = (select min(pda) from agents)`.execute(kysely)
      await delay(everyMs, undefined, { signal: stopping.signal })
    }
  })().catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error
  })
  return {
    stop: () => {
      stopping.abort()
      return writing
    },
  }
}
