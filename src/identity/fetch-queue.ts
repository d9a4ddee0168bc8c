import { createBackgroundLoop } from '../platform/async/background-loop.ts'
import type { Clock } from '../platform/clock.ts'
import type { Logger } from '../platform/logger.ts'
import { createFailureLog } from '../platform/process/failure-log.ts'

export interface FetchQueueLimits {
  /** Jobs that start at once. */
  readonly slots: number
  /** A job that runs longer gives its slot to another one and continues. Milliseconds. */
  readonly slotMs: number
  /** Jobs that run at once, most of which wait for a host. */
  readonly inFlight: number
}

interface FetchQueueOptions<Job> {
  /** In the log, for example `agent card checks`. */
  readonly name: string
  /** Takes up to `limit` due jobs with a lease. */
  readonly claim: (limit: number) => Promise<readonly Job[]>
  /** A job that fails or is aborted is due again when its lease expires. */
  readonly run: (job: Job, signal: AbortSignal) => Promise<void>
  readonly limits: FetchQueueLimits
  /** Poll interval while no job is due, in milliseconds. */
  readonly idleMs: number
  readonly clock: Clock
  readonly logger: Pick<Logger, 'warn'>
}

export type FetchQueue = ReturnType<typeof createFetchQueue>

/** Jobs that fetch from hosts of users. Which are due is in the database. */
export function createFetchQueue<Job>(options: FetchQueueOptions<Job>) {
  const { name, claim, run, limits, idleMs, clock, logger } = options
  const jobFailures = createFailureLog(logger, `one of the ${name} failed, will retry`)
  const jobs = new Set<Promise<void>>()
  let slotsUsed = 0
  let lastPolledAt: number | null = null

  const startJob = (job: Job, signal: AbortSignal): void => {
    let holdsSlot = true
    slotsUsed += 1
    const release = (): void => {
      if (holdsSlot) slotsUsed -= 1
      holdsSlot = false
      loop.wake()
    }
    const timer = setTimeout(release, limits.slotMs)
    const work = run(job, signal).then(jobFailures.clear, jobFailures.report)
    jobs.add(work)
    void work.finally(() => {
      clearTimeout(timer)
      jobs.delete(work)
      release()
    })
  }

  const loop = createBackgroundLoop({
    step: async (signal) => {
      while (!signal.aborted) {
        const free = Math.min(limits.slots - slotsUsed, limits.inFlight - jobs.size)
        const due = free > 0 ? await claim(free) : []
        if (due.length === 0) break
        for (const job of due) startJob(job, signal)
      }
      lastPolledAt = clock.now()
      return idleMs
    },
    failures: createFailureLog(logger, `polling for due ${name} failed, will retry`),
    retryMs: idleMs,
  })

  return {
    start: loop.start,
    /** Time of the last poll, in milliseconds since the epoch. Null before the first poll. */
    lastPolledAt: (): number | null => lastPolledAt,
    inFlight: (): number => jobs.size,
    /** Aborts the running jobs and waits for them. */
    stop: async (): Promise<void> => {
      await loop.stop()
      await Promise.all(jobs)
    },
  }
}
