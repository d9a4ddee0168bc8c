import { Worker } from 'node:worker_threads'
import type { Contexts } from '../../contexts/load.ts'
import type { CryptoOutcome, CryptoTask, WorkerMessage } from './protocol.ts'

/** Heap and stack of a worker, MB: a worker that needs more is stopped. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 }
/** On a machine that is busy elsewhere a task may take this many times its CPU time. */
const WALL_FACTOR = 10
const MIN_LOOK_MS = 5

/** One worker thread. It takes one task at a time; when it has been stopped it is of no more use. */
export interface VerifyThread {
  run(task: CryptoTask): Promise<CryptoOutcome>
  stop(): Promise<void>
}

export interface VerifyThreadOptions {
  readonly contexts: Contexts
  /** CPU time that a task may use, ms. */
  readonly limitMs: number
  readonly onReady: () => void
  /** The thread is gone, whoever ended it. */
  readonly onGone: () => void
}

export function startVerifyThread({ contexts, limitMs, onReady, onGone }: VerifyThreadOptions): VerifyThread {
  const worker = new Worker(new URL('./worker.ts', import.meta.url), {
    workerData: contexts,
    resourceLimits: RESOURCE_LIMITS,
    name: 'credential-verifier',
  })
  // It does not keep the process alive; the timer of a task does.
  worker.unref()
  let usedBefore = 0
  let finish: ((outcome: CryptoOutcome) => void) | null = null
  let problem = 'the worker ended'

  function settle(outcome: CryptoOutcome): void {
    const settled = finish
    finish = null
    settled?.(outcome)
  }

  worker.on('message', ({ verdict, cpuMs }: WorkerMessage) => {
    usedBefore = cpuMs
    if (verdict === null) onReady()
    else settle({ outcome: 'decided', verdict })
  })
  worker.on('error', (error) => {
    const { code } = error as NodeJS.ErrnoException
    problem =
      code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'it needed too much memory' : 'the verification failed inside'
  })
  worker.on('exit', () => {
    settle({ outcome: 'undecided', reason: problem })
    onGone()
  })

  /** Looks after a task until it is settled; the event loop of a busy thread could not stop itself. */
  async function watch(startedAt: number): Promise<void> {
    const usedMs = await worker.cpuUsage().then(
      ({ user, system }) => (user + system) / 1_000 - usedBefore,
      () => limitMs,
    )
    if (finish === null) return
    if (usedMs >= limitMs || performance.now() - startedAt >= limitMs * WALL_FACTOR) {
      problem = `it took longer than ${limitMs} ms`
      await worker.terminate()
    } else timer = setTimeout(() => void watch(startedAt), Math.max(MIN_LOOK_MS, limitMs - usedMs))
  }
  let timer: NodeJS.Timeout | undefined

  return {
    run: (task) => {
      const { promise, resolve } = Promise.withResolvers<CryptoOutcome>()
      finish = resolve
      const startedAt = performance.now()
      timer = setTimeout(() => void watch(startedAt), limitMs)
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      worker.postMessage(task)
      return promise.finally(() => clearTimeout(timer))
    },
    stop: async () => {
      clearTimeout(timer)
      await worker.terminate()
    },
  }
}
