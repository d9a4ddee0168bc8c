/**
 * Makes of `look` a function whose callers share looks: at most one is under way, and all who call before the next one starts get that one's result.
 * Nobody gets the result of a look that started before they called.
 */
export function shareLooks<Result>(look: () => Promise<Result>): () => Promise<Result> {
  let underway: Promise<unknown> = Promise.resolve()
  let next: Promise<Result> | null = null
  const start = async (): Promise<Result> => {
    // Requests that arrive in one turn of the event loop are one look.
    await new Promise((resolve) => setImmediate(resolve))
    next = null
    const looking = look()
    underway = looking
    return looking
  }
  return () => (next ??= underway.then(start, start))
}
