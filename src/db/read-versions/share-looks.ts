import { withTimeout } from '../../platform/async/with-timeout.ts'

/**
 * Makes of `look` a function whose callers share looks: at most one is waited for, and all who call before the next one starts get that one's result.
 * Nobody gets the result of a look that started before they called. Those of one that takes longer than `deadlineMs` get null, and the next one starts.
 */
export function shareLooks<Result>(
  look: () => Promise<Result>,
  deadlineMs: number,
): () => Promise<Result | null> {
  let underway: Promise<unknown> = Promise.resolve()
  let next: Promise<Result | null> | null = null
  const start = async (): Promise<Result | null> => {
    // Requests that arrive in one turn of the event loop are one look.
    await new Promise((resolve) => setImmediate(resolve))
    next = null
    const looking = withTimeout(deadlineMs, look())
    underway = looking
    return looking
  }
  return () => (next ??= underway.then(start, start))
}
