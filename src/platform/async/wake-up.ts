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
