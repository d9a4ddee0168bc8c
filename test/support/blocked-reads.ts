import type { Pool } from 'pg'
import { openSession } from '../../src/db/session.ts'
import type { TestDatabase } from './database.ts'

/** Locks the table of agents, as a migration would. This blocks every read of agents. */
export async function blockReads({ orm }: TestDatabase) {
  const session = await openSession(orm)
  let released: Promise<void> | null = null
  await session.query('begin')
  await session.query('lock table agents in access exclusive mode')
  return {
    /** The number of statements that wait for the lock. */
    held: async () => {
      const { rows } = await session.query<{ held: number }>(
        `select count(*)::int as held from pg_locks where relation = 'agents'::regclass and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      )
      return rows[0]?.held ?? 0
    },
    release: (): Promise<void> => (released ??= session.end()),
  }
}
export type BlockedReads = Awaited<ReturnType<typeof blockReads>>

export function poolOf({ orm }: TestDatabase): Promise<Pool> {
  return orm.em.getConnection().getNativeClient()
}
