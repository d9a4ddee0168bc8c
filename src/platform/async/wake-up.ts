/** Lets a loop sleep until something happens or a time passes. A wake-up that comes early is not lost. */
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
