export type Query = (...args: unknown[]) => unknown

/** After it the server lets the statements of a transaction take as long as they like. */
const LIFTS_LIMIT = 'set local statement_timeout = 0'
const ENDS = new Set<unknown>(['commit', 'rollback'])

/**
 * Calls `onSilence` when something has been asked for `afterMs` and nothing was answered meanwhile: the server is gone without a word, since it
 * would have cancelled the statement before. pg's `query_timeout` fails the statement, and its pool gives the same connection to the next one.
 */
export function withAnswerDeadline(query: Query, afterMs: number, onSilence: () => void): Query {
  let lifted = false
  let unanswered = 0
  let timer: NodeJS.Timeout | undefined
  let lastLook: NodeJS.Immediate | undefined
  const restart = (): void => {
    clearTimeout(timer)
    clearImmediate(lastLook)
    if (unanswered === 0) return
    // A process that was stopped itself has not read yet what arrived meanwhile.
    timer = setTimeout(() => (lastLook = setImmediate(onSilence)), afterMs)
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
