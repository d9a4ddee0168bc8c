import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import PQueue from 'p-queue'
import { DomainError } from '../../../../domain/errors.ts'
import type { Contexts } from '../../contexts/load.ts'
import type { CryptoTask, CryptoVerdict } from './verify-proofs.ts'

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

/** Or why the task was stopped, which says nothing about the credential. */
export type CryptoOutcome = CryptoVerdict | string

/** A worker sends this once when it is ready, and then for each task. */
export interface WorkerMessage {
  /** Null: the worker is ready. */
  readonly verdict: CryptoVerdict | null
  /** CPU time of the thread since its start, in milliseconds. */
  readonly cpuMs: number
}

export type CryptoPool = ReturnType<typeof createCryptoPool>

/** Threads that canonicalise and verify credentials without blocking the event loop. */
export function createCryptoPool(options: CryptoPoolOptions) {
  const { contexts, limitMs = 250, maxWaiting = 64, maxWaitMs = 5_000 } = options
  const size = options.size ?? Math.min(MAX_THREADS, Math.max(1, availableParallelism() - 1))
  const start = () => new VerifyThread(contexts, limitMs)
  const slots = Array.from({ length: size }, () => ({ thread: start() }))
  const idle = [...slots]
  const queue = new PQueue({ concurrency: size })
  let closed = false

  async function runOnIdleThread(task: CryptoTask): Promise<CryptoOutcome> {
    if (closed) return 'the service is shutting down'
    const slot = idle.shift()!
    const outcome = await slot.thread.run(task)
    if (!slot.thread.isAlive && !closed) slot.thread = start()
    idle.push(slot)
    return outcome
  }

  return {
    /** Throws VERIFIER_BUSY if too many credentials wait, or if this one waited too long. */
    run: async (task: CryptoTask): Promise<CryptoOutcome> => {
      if (closed || queue.size >= maxWaiting) throw new DomainError('VERIFIER_BUSY')
      const waiting = new AbortController()
      const timer = setTimeout(() => waiting.abort(new DomainError('VERIFIER_BUSY')), maxWaitMs)
      const work = () => {
        clearTimeout(timer)
        return runOnIdleThread(task)
      }
      return queue.add(work, { signal: waiting.signal })
    },
    waiting: (): number => queue.size,
    close: async (): Promise<void> => {
      closed = true
      await Promise.all(slots.map(({ thread }) => thread.stop('the service is shutting down')))
    },
  }
}

/** Heap and stack of a worker, in MB. A worker that needs more is stopped. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
/** On a busy machine, a task may take this many times its CPU limit. */
const WALL_TIME_FACTOR = 10
const MIN_CHECK_INTERVAL_MS = 5

/** A worker thread that runs one task at a time. `limitMs`: CPU time that a task may use. */
class VerifyThread {
  readonly #worker: Worker
  readonly #limitMs: number
  readonly #ready = Promise.withResolvers<void>()
  #cpuMsBefore = 0
  #settle: ((outcome: CryptoOutcome) => void) | null = null
  #stopReason = 'the worker exited'
  #timer: NodeJS.Timeout | undefined
  isAlive = true

  constructor(contexts: Contexts, limitMs: number) {
    this.#limitMs = limitMs
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: contexts,
      resourceLimits: RESOURCE_LIMITS,
      name: 'credential-verifier',
    })
    // An idle worker does not keep the process alive.
    this.#worker.unref()
    this.#worker.on('message', ({ verdict, cpuMs }: WorkerMessage) => {
      this.#cpuMsBefore = cpuMs
      if (verdict === null) this.#ready.resolve()
      else this.#settle?.(verdict)
    })
    this.#worker.on('error', ({ code }: NodeJS.ErrnoException) => {
      this.#stopReason =
        code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it needed too much memory' : 'the worker failed'
    })
    this.#worker.on('exit', () => {
      this.isAlive = false
      this.#ready.resolve()
      this.#settle?.(this.#stopReason)
    })
  }

  /** Waits until the thread is ready. */
  async run(task: CryptoTask): Promise<CryptoOutcome> {
    this.#worker.ref()
    await this.#ready.promise
    if (!this.isAlive) return this.#stopReason
    const { promise, resolve } = Promise.withResolvers<CryptoOutcome>()
    this.#settle = resolve
    this.#checkAfter(this.#limitMs, performance.now())
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
    this.#worker.postMessage(task)
    const outcome = await promise
    this.#settle = null
    clearTimeout(this.#timer)
    this.#worker.unref()
    return outcome
  }

  async stop(reason: string): Promise<void> {
    this.#stopReason = reason
    await this.#worker.terminate()
  }

  #checkAfter(ms: number, startedAt: number): void {
    this.#timer = setTimeout(() => void this.#enforceLimit(startedAt), ms)
  }

  /** Stops the worker when a task exceeds its limit. A busy worker cannot stop itself. */
  async #enforceLimit(startedAt: number): Promise<void> {
    const limitMs = this.#limitMs
    const usedMs = await this.#worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1_000 - this.#cpuMsBefore,
      () => limitMs,
    )
    if (this.#settle === null) return
    if (usedMs >= limitMs || performance.now() - startedAt >= limitMs * WALL_TIME_FACTOR)
      await this.stop(`it took longer than ${limitMs} ms`)
    else this.#checkAfter(Math.max(MIN_CHECK_INTERVAL_MS, limitMs - usedMs), startedAt)
  }
}
