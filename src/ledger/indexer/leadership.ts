import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { isAdvisoryLockWanted, tryAdvisoryLock } from '../../db/advisory-lock.ts'
import { openSession } from '../../db/session.ts'
import type { Orm } from '../../db/orm-types.ts'

/** The right to write projections: one holder per database, lost with its connection. */
export interface Leadership {
  readonly isLost: boolean
  /** True when somebody, such as a rebuild, waits for the lock. Throws when the connection is gone. */
  isWanted(): Promise<boolean>
  release(): Promise<void>
}

/** Waits until no other indexer holds the lock. `onStandby` is called once when another one does. */
export async function acquireLeadership(
  orm: Orm,
  options: { pollMs: number; signal: AbortSignal; onStandby: () => void },
): Promise<Leadership> {
  const session = await openSession(orm)
  let isLost = false
  session.on('error', () => (isLost = true))
  session.on('end', () => (isLost = true))
  const release = async (): Promise<void> => {
    isLost = true
    await session.end().catch(() => {})
  }
  try {
    let first = true
    while (!(await tryAdvisoryLock(session, 'indexer'))) {
      if (first) options.onStandby()
      first = false
      await delay(options.pollMs, undefined, { signal: options.signal })
    }
  } catch (error) {
    await release()
    throw error
  }
  return leadershipOf(session, () => isLost, release)
}

function leadershipOf(session: Client, isLost: () => boolean, release: () => Promise<void>): Leadership {
  return {
    get isLost() {
      return isLost()
    },
    isWanted: () => isAdvisoryLockWanted(session, 'indexer'),
    release,
  }
}
