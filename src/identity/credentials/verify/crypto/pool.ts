import { availableParallelism } from 'node:os'
import { DomainError } from '../../../../domain/errors.ts'
import type { Contexts } from '../../contexts/load.ts'
import type { CryptoOutcome, CryptoTask } from './protocol.ts'
import { startVerifyThread, type VerifyThread } from './verify-thread.ts'

const RESTART_DELAY_MS = 1_000
const MAX_SIZE = 4

export interface CryptoPoolOptions {
  readonly contexts: Contexts
  /** Threads; default one less than there are cores, 1 to 4. */
  readonly size?: number
  /** CPU time that one credential may use, ms. */
  readonly limitMs?: number
  /** Credentials that may wait for a thread. */
  readonly maxWaiting?: number
  /** How long one may wait, ms. */
  readonly maxWaitMs?: number
}

/** Threads that canonicalise and verify, so that no credential holds up the event loop. */
export interface CryptoPool {
  /** Throws VERIFIER_BUSY when too many wait, or it waited too long. */
  run(task: CryptoTask): Promise<CryptoOutcome>
  readonly waiting: () => number
  close(): Promise<void>
}

interface Waiting {
  readonly task: CryptoTask
  readonly timer: NodeJS.Timeout
  readonly resolve: (outcome: CryptoOutcome | Promise<CryptoOutcome>) => void
}

export function createCryptoPool(options: CryptoPoolOptions): CryptoPool {
  const { contexts, limitMs = 250, maxWaiting = 64, maxWaitMs = 5_000 } = options
  const size = options.size ?? Math.min(MAX_SIZE, Math.max(1, availableParallelism() - 1))
  const threads = new Set<VerifyThread>()
  const free: VerifyThread[] = []
  const queue: Waiting[] = []
  const restarts = new Set<NodeJS.Timeout>()
  let closed = false

  function start(): void {
    let isReady = false
    const thread: VerifyThread = startVerifyThread({
      contexts,
      limitMs,
      onReady: () => {
        isReady = true
        offer(thread)
      },
      onGone: () => {
        threads.delete(thread)
        if (free.includes(thread)) free.splice(free.indexOf(thread), 1)
        if (closed) return
        if (isReady) start()
        else startLater()
      },
    })
    threads.add(thread)
  }

  /** A thread that cannot even start would be started again without end. */
  function startLater(): void {
    const timer = setTimeout(() => {
      restarts.delete(timer)
      start()
    }, RESTART_DELAY_MS)
    restarts.add(timer.unref())
  }

  function offer(thread: VerifyThread): void {
    const next = queue.shift()
    if (next === undefined) free.push(thread)
    else {
      clearTimeout(next.timer)
      next.resolve(runOn(thread, next.task))
    }
  }

  async function runOn(thread: VerifyThread, task: CryptoTask): Promise<CryptoOutcome> {
    const outcome = await thread.run(task)
    if (threads.has(thread) && outcome.outcome === 'decided') offer(thread)
    return outcome
  }

  function wait(task: CryptoTask): Promise<CryptoOutcome> {
    if (closed || queue.length >= maxWaiting) return Promise.reject(new DomainError('VERIFIER_BUSY'))
    const { promise, resolve, reject } = Promise.withResolvers<CryptoOutcome>()
    const timer = setTimeout(() => {
      queue.splice(queue.indexOf(waiting), 1)
      reject(new DomainError('VERIFIER_BUSY'))
    }, maxWaitMs)
    const waiting: Waiting = { task, timer, resolve }
    queue.push(waiting)
    return promise
  }

  for (let i = 0; i < size; i++) start()

  return {
    run: (task) => {
      const thread = free.pop()
      return thread === undefined ? wait(task) : runOn(thread, task)
    },
    waiting: () => queue.length,
    close: async () => {
      closed = true
      for (const timer of restarts) clearTimeout(timer)
      for (const { timer, resolve } of queue.splice(0)) {
        clearTimeout(timer)
        resolve({ outcome: 'undecided', reason: 'the service stops' })
      }
      await Promise.all(Array.from(threads, (thread) => thread.stop()))
    },
  }
}
