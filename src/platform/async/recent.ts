import type { Clock } from '../clock.ts'

/** Shares the answer of `load` among callers for `ms` after it was asked for. */
export function recent<Value>(ms: number, clock: Clock, load: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | undefined
  let askedAt = -Infinity
  return () => {
    if (answer === undefined || clock.now() - askedAt >= ms) {
      askedAt = clock.now()
      answer = load()
    }
    return answer
  }
}
