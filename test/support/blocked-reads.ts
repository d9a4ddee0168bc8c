import type { Pool } from 'pg'
import { openSession } from '../../src/db/session.ts'
import type { TestDatabase } from './database.ts'

/** What keeps every read of agents waiting in PostgreSQL until it is released. */
export interface BlockedReads {
  /** Statements that wait for the lock. */
  held(): Promise<number>
  release(): Promise<void>
}

/** Locks the agents as a migration would. */
export async function blockReads({ orm }: TestDatabase): Promise<BlockedReads> {
  const session = await openSession(orm)
  let released: Promise<void> | null = null
  await session.query('begin')
  await session.query('lock table agents in access exclusive mode')
  return {
    held: async () => {
      const { rows } = await session.query<{ held: number }>(
        `select count(*)::int as held from pg_locks where relation = 'agents'::regclass and not granted`,
      )
      return rows[0]?.held ?? 0
    },
    // Ends its transaction.
    release: () => (released ??= session.end()),
  }
}

export function poolOf({ orm }: TestDatabase): Promise<Pool> {
  return orm.em.getConnection().getNativeClient()
}
