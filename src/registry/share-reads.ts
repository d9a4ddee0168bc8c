import { withTimeout } from '../platform/async/promises.ts'

/**
 * Lets callers share a read. At most `parallel` run at a time, and callers that arrive meanwhile
 * share the next one, so no result is older than its call. A read that exceeds `timeoutMs` returns
 * null.
 */
export function shareReads<Result>(
  read: () => Promise<Result>,
  timeoutMs: number,
  parallel = 1,
): () => Promise<Result | null> {
  const running = new Set<Promise<void>>()
  let next: Promise<Result | null> | null = null
  const start = async (): Promise<Result | null> => {
    while (running.size >= parallel) await Promise.race(running)
    // Calls in the same turn of the event loop share the read.
    await new Promise((resolve) => setImmediate(resolve))
    next = null
    const result = withTimeout(timeoutMs, read())
    const settled: Promise<void> = result.then(
      () => void running.delete(settled),
      () => void running.delete(settled),
    )
    running.add(settled)
    return result
  }
  return () => (next ??= start())
}
