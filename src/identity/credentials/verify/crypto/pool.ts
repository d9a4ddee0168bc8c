import { availableParallelism } from 'node:os'
import PQueue from 'p-queue'
import { DomainError } from '../../../../domain/errors.ts'
import type { Contexts } from '../../contexts/load.ts'
import type { CryptoOutcome, CryptoTask } from './protocol.ts'
import { startVerifyThread } from './verify-thread.ts'

const MAX_THREADS = 4

export interface CryptoPoolOptions {
  readonly contexts: Contexts
  /** Number of threads. By default one less than the number of cores, 1 to 4. */
  readonly size?: number
  /** CPU time that one credential may use, in milliseconds. */
  readonly limitMs?: number
  /** How many credentials may wait for a thread. */
  readonly maxWaiting?: number
  /** How long a credential may wait, in milliseconds. */
  readonly maxWaitMs?: number
}

/** Threads that canonicalise and verify credentials without blocking the event loop. */
export interface CryptoPool {
  /** Throws VERIFIER_BUSY if too many credentials wait, or if this one waited too long. */
  run(task: CryptoTask): Promise<CryptoOutcome>
  readonly waiting: () => number
  close(): Promise<void>
}

export function createCryptoPool(options: CryptoPoolOptions): CryptoPool {
  const { contexts, limitMs = 250, maxWaiting = 64, maxWaitMs = 5_000 } = options
  const size = options.size ?? Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1))
  const start = () => startVerifyThread({ contexts, limitMs })
  const slots = Array.from({ length: size }, () => ({ thread: start() }))
  const idle = [...slots]
  const queue = new PQueue({ concurrency: size })
  let closed = false

  async function runOnIdleThread(task: CryptoTask): Promise<CryptoOutcome> {
    if (closed) return { outcome: 'undecided', reason: 'the service is shutting down' }
    const slot = idle.shift()!
    const outcome = await slot.thread.run(task)
    if (!slot.thread.isAlive() && !closed) slot.thread = start()
    idle.push(slot)
    return outcome
  }

  return {
    run: async (task) => {
      if (closed || queue.size >= maxWaiting) throw new DomainError('VERIFIER_BUSY')
      const waiting = new AbortController()
      const timer = setTimeout(() => waiting.abort(new DomainError('VERIFIER_BUSY')), maxWaitMs)
      const work = () => {
        clearTimeout(timer)
        return runOnIdleThread(task)
      }
      return queue.add(work, { signal: waiting.signal })
    },
    waiting: () => queue.size,
    close: async () => {
      closed = true
      await Promise.all(slots.map(({ thread }) => thread.stop('the service is shutting down')))
    },
  }
}
