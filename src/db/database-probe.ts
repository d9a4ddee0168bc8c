import type { EntityManager } from './orm-types.ts'
import { openSession } from './session.ts'

/** SQLSTATE of a server that works and has no free connection. */
const TOO_MANY_CONNECTIONS = '53300'

/**
 * Whether the database answers, and accepts new connections: open ones can outlive its socket. Uses
 * a connection of its own, so it does not wait for those of the pool.
 */
export function createDatabaseProbe(em: EntityManager): () => Promise<boolean> {
  return async () => {
    try {
      await (await openSession({ em })).end()
      return true
    } catch (error) {
      return (error as { code?: string }).code === TOO_MANY_CONNECTIONS
    }
  }
}
