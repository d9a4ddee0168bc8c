import PQueue from 'p-queue'
import { WakeUp } from '../platform/async/wake-up.ts'
import type { Logger } from '../platform/logger.ts'
import { dispatch, type DispatchDependencies } from './dispatch.ts'
import { finalizedHeight, fetchStatuses, MAX_STATUSES } from './fetch-statuses.ts'
import type { TransactionRow } from './record.ts'
import { onLedgerStatus, type LedgerStatus } from './transitions.ts'

export interface TrackerDependencies extends DispatchDependencies {
  readonly logger: Pick<Logger, 'warn'>
}

/** Brings every submitted transaction to its end. Its memory is the database, so that any number of processes may run one. */
export interface Tracker {
  /** Returns at once; the work goes on in the background until `stop`. */
  start(): void
  wake(): void
  stop(): Promise<void>
}

const SENDS_AT_ONCE = 8
const CLEANING_MS = 3_600_000

export function createTracker(dependencies: TrackerDependencies): Tracker {
  const { logger, timing } = dependencies
  const wakeUp = new WakeUp()
  const abort = new AbortController()
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    let nextSweep = 0
    let nextCleaning = 0
    while (!abort.signal.aborted) {
      let waitMs = timing.idlePollMs
      try {
        while ((await trackDue(dependencies)) === MAX_STATUSES && !abort.signal.aborted);
        const { submitted, unsubmitted } = await dependencies.store.open()
        const now = dependencies.clock.now()
        if (unsubmitted > 0 && now >= nextSweep) {
          await sweep(dependencies)
          nextSweep = now + timing.finalityPollMs
        }
        if (now >= nextCleaning) {
          await dependencies.store.deleteOld(now)
          nextCleaning = now + CLEANING_MS
        }
        if (submitted > 0) waitMs = Math.min(timing.pollMs / 2, timing.idlePollMs)
      } catch (err) {
        logger.warn({ err }, 'following transactions failed and is tried again')
      }
      if (!abort.signal.aborted) await wakeUp.sleep(waitMs)
    }
  }

  return {
    start: () => {
      running ??= run()
    },
    wake: () => wakeUp.wake(),
    stop: async () => {
      abort.abort()
      wakeUp.wake()
      await running
    },
  }
}

/** Ends what was prepared, never submitted, and has expired. */
async function sweep({ rpc, store }: TrackerDependencies): Promise<void> {
  const { blockHeight } = await finalizedHeight(rpc)
  await store.expireUnsubmitted(blockHeight)
}

/** Looks at the rows that are due; returns how many. */
async function trackDue(dependencies: TrackerDependencies): Promise<number> {
  const { rpc, clock, store, timing, registryProgram } = dependencies
  const now = clock.now()
  const rows = await store.claim({ now, until: now + timing.leaseMs, limit: MAX_STATUSES })
  if (rows.length === 0) return 0
  try {
    const seen = await fetchStatuses(rpc, rows, registryProgram)
    const queue = new PQueue({ concurrency: SENDS_AT_ONCE })
    await queue.addAll(rows.map((row) => () => advance(row, seen.get(row.id), dependencies)))
  } catch (error) {
    // The node does not answer: nothing is known, and the rows are due again.
    const due = new Date(clock.now() + timing.finalityPollMs).toISOString()
    await Promise.all(rows.map((row) => store.update(row, { next_check_at: due })))
    throw error
  }
  return rows.length
}

async function advance(
  row: TransactionRow,
  seen: LedgerStatus | undefined,
  dependencies: TrackerDependencies,
): Promise<void> {
  const { clock, store, changes, timing } = dependencies
  const change = seen === undefined ? {} : onLedgerStatus(row, seen)
  const status = change.status ?? row.status
  if (seen?.kind === 'absent' && !seen.expired && status === 'submitted' && isSendDue(row, dependencies)) {
    await dispatch(row, dependencies, change)
    return
  }
  const waitMs = status === 'submitted' ? timing.pollMs : timing.finalityPollMs
  await store.update(row, { ...change, next_check_at: new Date(clock.now() + waitMs).toISOString() })
  changes.notify(row.id)
}

function isSendDue({ sent_at: sentAt }: TransactionRow, { clock, timing }: TrackerDependencies): boolean {
  return sentAt === null || clock.now() - Date.parse(sentAt) >= timing.resendMs
}
