import { type Claim, claimDeliveries } from './claim.ts'
import { type DueStatus, type Lanes, LANES } from './lanes.ts'
import type { WorkerLimits } from '../limits.ts'
import { releaseClaims } from '../queue.ts'
import type { Unwritten } from '../settlements.ts'
import type { WorkerConnection } from '../worker-connection.ts'

/** One claim does not start more attempts of a lane, because that takes time. */
const MAX_CLAIMED = 256

export interface Started {
  /** Attempts that were started. */
  readonly count: number
  /** The same if other due deliveries had to wait, else 0. */
  readonly crowd: number
  /** True if some networks were not visited. */
  readonly more: boolean
}

export const NOTHING: Started = { count: 0, crowd: 0, more: false }

/** Returns a function that claims and starts as many deliveries with a status as possible. */
export function createStarter(options: {
  connection: WorkerConnection
  lanes: Lanes
  limits: WorkerLimits
  unwritten: Unwritten
  stopping: AbortSignal
  deliver: (claim: Claim) => Promise<void>
}): (status: DueStatus) => Promise<Started> {
  const { connection, lanes, limits, unwritten, stopping, deliver } = options
  const after = { pending: '', retrying: '' }
  const contended = { pending: false, retrying: false }
  return async (status) => {
    const [fast, slow] = LANES.map((lane) => Math.min(MAX_CLAIMED, lanes.free(lane, status)))
    if (!fast && !slow) return NOTHING
    const { claims, ...result } = await claimDeliveries(connection, {
      status,
      free: { fast: fast ?? 0, slow: slow ?? 0 },
      slots: { fast: lanes.slots('fast', status), slow: lanes.slots('slow', status) },
      after: after[status],
      contended: contended[status],
      limits,
      finished: unwritten.ids(),
    })
    unwritten.claimedAgain(claims)
    after[status] = result.next
    contended[status] = result.contended
    if (stopping.aborted) {
      await releaseClaims(connection, claims, 0)
      return NOTHING
    }
    for (const each of claims) lanes.start(each.lane, status, () => deliver(each))
    return { count: claims.length, crowd: result.contended ? claims.length : 0, more: result.next !== '' }
  }
}
