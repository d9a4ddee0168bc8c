import { WakeUp } from '../platform/async/background-loop.ts'
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

export interface FetchQueueOptions<Job> {
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

/** Jobs that fetch from hosts of users. Which are due is in the database. */
export interface FetchQueue {
  /** Returns at once. */
  start(): void
  /** Time of the last poll, in milliseconds since the epoch. Null before the first poll. */
  lastPolledAt(): number | null
  inFlight(): number
  /** Aborts the running jobs and waits for them. */
  stop(): Promise<void>
}

export function createFetchQueue<Job>(options: FetchQueueOptions<Job>): FetchQueue {
  const { name, claim, limits, idleMs, clock, logger } = options
  const wakeUp = new WakeUp()
  const abort = new AbortController()
  const failures = createFailureLog(logger, `polling for due ${name} failed, will retry`)
  const jobFailures = createFailureLog(logger, `one of the ${name} failed, will retry`)
  const jobs = new Set<Promise<void>>()
  const slots = createSlots(limits.slotMs, () => wakeUp.wake())
  let running: Promise<void> | undefined
  let lastPolledAt: number | null = null

  const startJob = (job: Job): void => {
    const releaseSlot = slots.take()
    const work = options.run(job, abort.signal).then(jobFailures.clear, jobFailures.report)
    jobs.add(work)
    void work.finally(() => {
      jobs.delete(work)
      releaseSlot()
      wakeUp.wake()
    })
  }

  /** Starts due jobs. Returns when none is due or no slot is free. */
  const poll = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      const free = Math.min(limits.slots - slots.used(), limits.inFlight - jobs.size)
      const due = free > 0 ? await claim(free) : []
      if (due.length === 0) return
      for (const job of due) startJob(job)
    }
  }

  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      try {
        await poll()
        lastPolledAt = clock.now()
        failures.clear()
      } catch (error) {
        failures.report(error)
      }
      if (!abort.signal.aborted) await wakeUp.sleep(idleMs)
    }
    await Promise.all(jobs)
  }

  return {
    start: () => {
      running ??= run()
    },
    lastPolledAt: () => lastPolledAt,
    inFlight: () => jobs.size,
    stop: async () => {
      abort.abort()
      wakeUp.wake()
      await running
    },
  }
}

/** Slots that are released after `slotMs` at the latest. */
function createSlots(slotMs: number, onRelease: () => void) {
  let used = 0
  return {
    used: () => used,
    /** Returns the function that releases the slot. */
    take: (): (() => void) => {
      let held = true
      used += 1
      const release = (): void => {
        if (!held) return
        held = false
        used -= 1
        clearTimeout(timer)
        onRelease()
      }
      const timer = setTimeout(release, slotMs)
      return release
    },
  }
}
