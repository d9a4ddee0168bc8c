export type BackgroundLoop = ReturnType<typeof createBackgroundLoop>

interface BackgroundLoopOptions {
  /** Returns the milliseconds until the next step. */
  readonly step: (signal: AbortSignal) => Promise<number>
  /** Such as a failure log. `clear` is called after each step that succeeds. */
  readonly failures: { readonly report: (error: unknown) => void; readonly clear?: () => void }
  /** The step runs again after this time if it failed. Milliseconds. */
  readonly retryMs: number
}

/** Runs a step again and again until it is stopped. */
export function createBackgroundLoop({ step, failures, retryMs }: BackgroundLoopOptions) {
  const wakeUp = new WakeUp()
  const abort = new AbortController()
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    while (!abort.signal.aborted) {
      let waitMs = retryMs
      try {
        waitMs = await step(abort.signal)
        failures.clear?.()
      } catch (error) {
        failures.report(error)
      }
      if (!abort.signal.aborted) await wakeUp.sleep(waitMs)
    }
  }
  return {
    /** Returns at once. The loop runs in the background. */
    start: (): void => {
      running ??= run()
    },
    /** Runs the next step now. */
    wake: (): void => wakeUp.wake(),
    /** Resolves when the current step has finished. */
    stop: async (): Promise<void> => {
      abort.abort()
      wakeUp.wake()
      await running
    },
  }
}

/** Lets a loop sleep for a time or until `wake`. A `wake` before `sleep` ends it at once. */
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
