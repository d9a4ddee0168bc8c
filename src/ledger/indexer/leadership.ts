import { setTimeout as delay } from 'node:timers/promises'
import { isAdvisoryLockWanted, tryAdvisoryLock } from '../../db/advisory-lock.ts'
import type { Orm } from '../../db/orm-types.ts'
import { openSession } from '../../db/session.ts'

/** The advisory lock of the indexer. Its connection holds it: one leader per database. */
export interface Leadership {
  readonly isLost: boolean
  /**
   * Whether another process, such as a rebuild, waits for the lock. Throws if the connection is
   * lost.
   */
  isWanted(): Promise<boolean>
  release(): Promise<void>
}

/** Waits until no other process holds the lock. Calls `onStandby` while another one does. */
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
    while (!(await tryAdvisoryLock(session, 'indexer'))) {
      options.onStandby()
      await delay(options.pollMs, undefined, { signal: options.signal })
    }
  } catch (error) {
    await release()
    throw error
  }
  return {
    get isLost() {
      return isLost
    },
    isWanted: () => isAdvisoryLockWanted(session, 'indexer'),
    release,
  }
}
