import { CompiledQuery, type Kysely } from 'kysely'
import type { Client } from 'pg'
import type { Database } from './database.ts'
import { abortable } from '../platform/async/promises.ts'
import { openSession } from './session.ts'
import type { Orm } from './orm-types.ts'

/** Session advisory locks of this service: (class, key). The class avoids conflicts with others. */
const LOCK_CLASS = 0x41524757
const LOCK_KEYS = { migrate: 1, indexer: 2 } as const

export type LockName = keyof typeof LOCK_KEYS
type Found = { readonly found: boolean }

/** Waits for the lock until `signal` aborts, then runs `work` while it holds the lock. */
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
  const values = [LOCK_CLASS, LOCK_KEYS[name]]
  const { rows } = await session.query<Found>('select pg_try_advisory_lock($1, $2) as found', values)
  return rows[0]?.found === true
}

/** Whether a session holds the lock (`$1`), or one waits for it. */
const EXISTS = `
  select exists (
    select 1 from pg_locks
    where locktype = 'advisory' and granted = $1 and classid = ${LOCK_CLASS} and objid = $2 and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())
  ) as found`

export async function isAdvisoryLockHeld(kysely: Kysely<Database>, name: LockName): Promise<boolean> {
  const { rows } = await kysely.executeQuery<Found>(CompiledQuery.raw(EXISTS, [true, LOCK_KEYS[name]]))
  return rows[0]?.found === true
}

export async function isAdvisoryLockWanted(session: Client, name: LockName): Promise<boolean> {
  const { rows } = await session.query<Found>(EXISTS, [false, LOCK_KEYS[name]])
  return rows[0]?.found === true
}
