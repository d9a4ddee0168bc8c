import { type Kysely, sql } from 'kysely'
import { cachedValue } from '../platform/async/cached-value.ts'
import type { Clock } from '../platform/clock.ts'
import type { Database } from './database.ts'
import type { EntityManager } from './orm-types.ts'
import { openSession } from './session.ts'

const CACHE_MS = 1_000
/** SQLSTATE of a server that works and has no free connection. */
const TOO_MANY_CONNECTIONS = '53300'

/** Whether the database answers, and accepts new connections: open ones can outlive its socket. */
export function createDatabaseProbe(em: EntityManager, clock: Clock): () => Promise<boolean> {
  // Health is not rate limited, and a connection costs the server more than a query.
  const connects = cachedValue({ load: () => connectsTo(em), freshMs: CACHE_MS, maxAgeMs: CACHE_MS, clock })
  return async () => (await answers(em.getKysely())) && (await connects.get())
}

async function answers(kysely: Kysely<Database>): Promise<boolean> {
  try {
    await sql`select 1`.execute(kysely)
    return true
  } catch {
    return false
  }
}

async function connectsTo(em: EntityManager): Promise<boolean> {
  try {
    await (await openSession({ em })).end()
    return true
  } catch (error) {
    return (error as { code?: string }).code === TOO_MANY_CONNECTIONS
  }
}
