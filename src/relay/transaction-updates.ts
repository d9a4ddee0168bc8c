/** Tells submits and streams of this process that wait for it that a transaction was written; other processes' writes they read. */
export class TransactionUpdates {
  readonly #waiting = new Map<string, Set<() => void>>()

  notify(id: string): void {
    for (const resolve of this.#waiting.get(id) ?? []) resolve()
  }

  /** Resolves at the next change of the transaction, after that many milliseconds, or with the signal. */
  async next(id: string, milliseconds: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, waiting.add(resolve))
    const timer = setTimeout(resolve, milliseconds)
    const stop = (): void => resolve()
    signal?.addEventListener('abort', stop)
    if (signal?.aborted === true) resolve()
    await promise
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    waiting.delete(resolve)
    if (waiting.size === 0) this.#waiting.delete(id)
  }
}
