/**
 * Announces this process's writes of transactions. Writes of other processes are found by polling.
 */
export class TransactionUpdates {
  readonly #waiting = new Map<string, Set<() => void>>()

  notify(id: string): void {
    for (const resolve of this.#waiting.get(id) ?? []) resolve()
  }

  /**
   * Resolves at the next write of the transaction, after `timeoutMs`, or when the signal aborts.
   */
  async next(id: string, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(id) ?? new Set()
    this.#waiting.set(id, waiting.add(resolve))
    const timer = setTimeout(resolve, timeoutMs)
    const onAbort = (): void => resolve()
    signal?.addEventListener('abort', onAbort)
    if (signal?.aborted === true) resolve()
    await promise
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
    waiting.delete(resolve)
    if (waiting.size === 0) this.#waiting.delete(id)
  }
}
