export type Query = (...args: unknown[]) => unknown

/** After this statement, the server does not limit the statements of a transaction. */
const LIFTS_LIMIT = 'set local statement_timeout = 0'
const ENDS = new Set<unknown>(['commit', 'rollback'])

/**
 * Calls `onSilence` if a statement runs for `afterMs` and nothing arrives. The server would have
 * cancelled the statement earlier, so it is unreachable. pg's own `query_timeout` would reuse the
 * connection.
 */
export function withAnswerDeadline(query: Query, afterMs: number, onSilence: () => void): Query {
  let lifted = false
  let unanswered = 0
  let timer: NodeJS.Timeout | undefined
  let lastCheck: NodeJS.Immediate | undefined
  const restart = (): void => {
    clearTimeout(timer)
    clearImmediate(lastCheck)
    if (unanswered === 0) return
    // A process that was suspended first reads what has arrived.
    timer = setTimeout(() => (lastCheck = setImmediate(onSilence)), afterMs)
  }
  return (text, ...rest) => {
    if (text === LIFTS_LIMIT) lifted = true
    const counts = !lifted
    const settled = (): void => {
      if (ENDS.has(text)) lifted = false
      if (!counts) return
      unanswered -= 1
      restart()
    }
    if (counts && (unanswered += 1) === 1) restart()
    const callback = rest.at(-1)
    if (typeof callback === 'function') {
      return query(text, ...rest.slice(0, -1), (...answer: unknown[]) => {
        settled()
        callback(...answer)
      })
    }
    return (query(text, ...rest) as Promise<unknown>).finally(settled)
  }
}
