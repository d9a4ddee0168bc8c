import type { Pool } from 'pg'
import { openSession } from '../../src/db/session.ts'
import type { TestDatabase } from './database.ts'

/** A lock in PostgreSQL that blocks every read of agents. */
export interface BlockedReads {
  /** The number of statements that wait for the lock. */
  held(): Promise<number>
  release(): Promise<void>
}

/** Locks the table of agents, as a migration would. */
export async function blockReads({ orm }: TestDatabase): Promise<BlockedReads> {
  const session = await openSession(orm)
  let released: Promise<void> | null = null
  await session.query('begin')
  await session.query('lock table agents in access exclusive mode')
  return {
    held: async () => {
      const { rows } = await session.query<{ held: number }>(
        `select count(*)::int as held from pg_locks where relation = 'agents'::regclass and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      )
      return rows[0]?.held ?? 0
    },
    release: () => (released ??= session.end()),
  }
}

export function poolOf({ orm }: TestDatabase): Promise<Pool> {
  return orm.em.getConnection().getNativeClient()
}
