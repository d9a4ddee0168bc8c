import { type Kysely, sql } from 'kysely'
import type { Client } from 'pg'
import type { Database } from './database.ts'
import { abortable } from '../platform/async/promises.ts'
import { openSession } from './session.ts'
import type { Orm } from './orm-types.ts'

/** Session advisory locks of this service: (class, key). The class avoids conflicts with others. */
const LOCK_CLASS = 0x41524757
const LOCK_KEYS = { migrate: 1, indexer: 2 } as const

export type LockName = keyof typeof LOCK_KEYS

/**
 * Waits for the lock until `signal` aborts, then runs `work` while it holds the lock.
 */
export async function withAdvisoryLock<T>(
  orm: Orm,
  name: LockName,
  work: () => Promise<T>,
  signal = new AbortController().signal,
): Promise<T> {
  const session = await openSession(orm)
  try {
    await session.query('set statement_timeout = 0')
    const locked = session.query('select pg_advisory_lock($1, $2)', [LOCK_CLASS, LOCK_KEYS[name]])
    await abortable(locked, signal)
    return await work()
  } finally {
    // Closing the session releases the lock in any state.
    await session.end().catch(() => {})
  }
}

/** Acquires the lock if it is free, until the session ends. */
export async function tryAdvisoryLock(session: Client, name: LockName): Promise<boolean> {
  const result = await session.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
    LOCK_CLASS,
    LOCK_KEYS[name],
  ])
  return result.rows[0]?.locked === true
}

/** Whether any session holds the lock. */
export async function isAdvisoryLockHeld(kysely: Kysely<Database>, name: LockName): Promise<boolean> {
  const { rows } = await sql<{ held: boolean }>`
    select exists (
      select 1 from pg_locks
      where locktype = 'advisory' and granted and classid = ${LOCK_CLASS} and objid = ${LOCK_KEYS[name]}
        and objsubid = 2 and database = (select oid from pg_database where datname = current_database())
    ) as held`.execute(kysely)
  return rows[0]?.held === true
}

/** Whether another session waits for the lock. */
export async function isAdvisoryLockWanted(session: Client, name: LockName): Promise<boolean> {
  const result = await session.query<{ wanted: boolean }>(
    `select exists (
       select 1 from pg_locks
       where locktype = 'advisory' and not granted and classid = $1 and objid = $2 and objsubid = 2
         and database = (select oid from pg_database where datname = current_database())
     ) as wanted`,
    [LOCK_CLASS, LOCK_KEYS[name]],
  )
  return result.rows[0]?.wanted === true
}
