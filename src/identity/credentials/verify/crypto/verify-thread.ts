import { Worker } from 'node:worker_threads'
import type { Contexts } from '../../contexts/load.ts'
import type { CryptoOutcome, CryptoTask, WorkerMessage } from './protocol.ts'

/** Heap and stack of a worker, in MB. A worker that needs more is stopped. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
/** On a busy machine, a task may take this many times its CPU limit. */
const WALL_TIME_FACTOR = 10
const MIN_CHECK_INTERVAL_MS = 5

/** A worker thread that runs one task at a time. */
export interface VerifyThread {
  /** Waits until the thread is ready. A stopped thread returns `undecided`. */
  run(task: CryptoTask): Promise<CryptoOutcome>
  isAlive(): boolean
  stop(reason: string): Promise<void>
}

export interface VerifyThreadOptions {
  readonly contexts: Contexts
  /** CPU time that a task may use, in milliseconds. */
  readonly limitMs: number
}

export function startVerifyThread({ contexts, limitMs }: VerifyThreadOptions): VerifyThread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: contexts,
    resourceLimits: RESOURCE_LIMITS,
    name: 'credential-verifier',
  })
  // An idle worker does not keep the process alive.
  worker.unref()
  const ready = Promise.withResolvers<void>()
  let alive = true
  let cpuMsBefore = 0
  let settle: ((outcome: CryptoOutcome) => void) | null = null
  let stopReason = 'the worker exited'

  worker.on('message', ({ verdict, cpuMs }: WorkerMessage) => {
    cpuMsBefore = cpuMs
    if (verdict === null) ready.resolve()
    else settle?.({ outcome: 'decided', verdict })
  })
  worker.on('error', ({ code }: NodeJS.ErrnoException) => {
    stopReason = code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it needed too much memory' : 'the worker failed'
  })
  worker.on('exit', () => {
    alive = false
    ready.resolve()
    settle?.({ outcome: 'undecided', reason: stopReason })
  })

  const stop = async (reason: string): Promise<void> => {
    stopReason = reason
    await worker.terminate()
  }

  /** Stops the worker when a task exceeds its limit. A busy worker cannot stop itself. */
  async function enforceLimit(startedAt: number): Promise<void> {
    const usedMs = await worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1_000 - cpuMsBefore,
      () => limitMs,
    )
    if (settle === null) return
    if (usedMs >= limitMs || performance.now() - startedAt >= limitMs * WALL_TIME_FACTOR) {
      await stop(`it took longer than ${limitMs} ms`)
    } else checkAfter(Math.max(MIN_CHECK_INTERVAL_MS, limitMs - usedMs), startedAt)
  }
  let timer: NodeJS.Timeout | undefined
  const checkAfter = (ms: number, startedAt: number): void => {
    timer = setTimeout(() => void enforceLimit(startedAt), ms)
  }

  return {
    run: async (task) => {
      worker.ref()
      await ready.promise
      if (!alive) return { outcome: 'undecided', reason: stopReason }
      const { promise, resolve } = Promise.withResolvers<CryptoOutcome>()
      settle = resolve
      checkAfter(limitMs, performance.now())
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      worker.postMessage(task)
      const outcome = await promise
      settle = null
      clearTimeout(timer)
      worker.unref()
      return outcome
    },
    isAlive: () => alive,
    stop,
  }
}
