/** Runs a step again and again until it is stopped. */
export interface BackgroundLoop {
  /** Returns at once. The loop runs in the background. */
  start(): void
  /** Runs the next step now. */
  wake(): void
  /** Resolves when the current step has finished. */
  stop(): Promise<void>
}

interface BackgroundLoopOptions {
  /** Returns the milliseconds until the next step. */
  readonly step: (signal: AbortSignal) => Promise<number>
  /** The step runs again `retryMs` after an error. */
  readonly onError: (error: unknown) => void
  readonly retryMs: number
}

export function createBackgroundLoop({ step, onError, retryMs }: BackgroundLoopOptions): BackgroundLoop {
  const wakeUp = new WakeUp()
  const abort = new AbortController()
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      let waitMs = retryMs
      try {
        waitMs = await step(abort.signal)
      } catch (error) {
        onError(error)
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

/**
 * Lets a loop sleep for a time or until `wake`. A `wake` before `sleep` ends that sleep at once.
 */
export class WakeUp {
  #pending = false
  #resolve: (() => void) | undefined

  wake(): void {
    this.#pending = true
    this.#resolve?.()
  }

  async sleep(milliseconds: number): Promise<void> {
    if (!this.#pending) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, milliseconds)
        this.#resolve = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    this.#resolve = undefined
    this.#pending = false
  }
}
