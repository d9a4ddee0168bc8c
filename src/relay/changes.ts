/** Tells waiting submits of this process that a transaction was written; other processes' writes they read. */
export class Changes {
  readonly #waiting = new Map<string, Set<() => void>>()

  notify(id: string): void {
    for (const resolve of this.#waiting.get(id) ?? []) resolve()
  }

  /** Resolves at the next change of the transaction, or after that many milliseconds. */
  async next(id: string, milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, waiting.add(resolve))
    const timer = setTimeout(resolve, milliseconds)
    await promise
    clearTimeout(timer)
    waiting.delete(resolve)
    if (waiting.size === 0) this.#waiting.delete(id)
  }
}
