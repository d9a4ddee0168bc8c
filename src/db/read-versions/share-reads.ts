import { withTimeout } from '../../platform/async/with-timeout.ts'

/**
 * Lets callers share a read. At most one runs at a time, and callers that arrive meanwhile share
 * the next one, so no result is older than its call. A read that exceeds `timeoutMs` returns null.
 */
export function shareReads<Result>(
  read: () => Promise<Result>,
  timeoutMs: number,
): () => Promise<Result | null> {
  let running: Promise<unknown> = Promise.resolve()
  let next: Promise<Result | null> | null = null
  const start = async (): Promise<Result | null> => {
    // Calls in the same turn of the event loop share the read.
    await new Promise((resolve) => setImmediate(resolve))
    next = null
    const result = withTimeout(timeoutMs, read())
    running = result
    return result
  }
  return () => (next ??= running.then(start, start))
}
