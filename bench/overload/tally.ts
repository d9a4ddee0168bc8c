import { median, rounded } from '../support/statistics.ts'
import type { Outcome, OnOutcome } from './client.ts'

export interface Percentiles {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** The outcomes of the requests that were due in a period. */
export interface Tally {
  readonly offeredPerSecond: number
  /** Responses within the period. Later responses also have a latency. */
  readonly acceptedPerSecond: number
  readonly refusedPerSecond: number
  readonly failedPerSecond: number
  /** From the time at which a request was due to the end of its response. */
  readonly acceptedMs: Percentiles
  readonly refusedMs: Percentiles
}

interface Second {
  readonly accepted: number[]
  readonly refused: number[]
  failed: number
}

/** Groups outcomes by the second in which requests were due. */
export function createTally(spanSeconds: number): {
  onOutcome: OnOutcome
  summary(): Tally
  seconds(): { p50: number; bad: number }[]
} {
  const seconds: Second[] = []
  const began = performance.now()
  let acceptedInSpan = 0
  const secondOf = (dueAt: number): Second => {
    const index = Math.max(0, Math.floor((dueAt - began) / 1_000))
    return (seconds[index] ??= { accepted: [], refused: [], failed: 0 })
  }
  return {
    onOutcome: (dueAt: number, outcome: Outcome, ms: number) => {
      const second = secondOf(dueAt)
      if (outcome === 'failed') second.failed += 1
      else second[outcome].push(ms)
      if (outcome === 'accepted' && dueAt + ms <= began + spanSeconds * 1_000) acceptedInSpan += 1
    },
    summary: () => {
      const accepted = seconds.flatMap((each) => each.accepted)
      const refused = seconds.flatMap((each) => each.refused)
      const failed = seconds.reduce((sum, each) => sum + each.failed, 0)
      const perSecond = (count: number): number => rounded(count / spanSeconds, 1)
      return {
        offeredPerSecond: perSecond(accepted.length + refused.length + failed),
        acceptedPerSecond: perSecond(acceptedInSpan),
        refusedPerSecond: perSecond(refused.length),
        failedPerSecond: perSecond(failed),
        acceptedMs: percentiles(accepted),
        refusedMs: percentiles(refused),
      }
    },
    seconds: () =>
      Array.from(seconds, (each) => ({
        p50: median(each?.accepted ?? []),
        bad: (each?.refused.length ?? 0) + (each?.failed ?? 0),
      })),
  }
}

function percentiles(values: number[]): Percentiles {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (percent: number): number =>
    rounded(sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0, 1)
  return { p50: at(50), p99: at(99), max: at(100) }
}
