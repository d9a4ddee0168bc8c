import { loadavg } from 'node:os'
import { rounded } from '../support/statistics.ts'
import { type ProcessorTime, processorTime } from './processor-time.ts'

/** Shares of the time of all processors, from 0 to 1. */
export interface Shares {
  /** Used by processes that the bench did not start. */
  readonly others: number
  /** Taken by the hypervisor for other machines. */
  readonly stolen: number
}

export interface Load {
  readonly seconds: number
  /** The system's load average of the last minute, at the start. */
  readonly loadAverage: number
  readonly mean: Shares
  /** The highest shares of ten seconds. */
  readonly highest: Shares
}

const SAMPLE_MS = 2_000
const WINDOW = 5

/** Measures the load of the machine until it is stopped. */
export function watchLoad(): { stop(): Load | null } {
  const loadAverage = rounded(loadavg()[0] ?? 0)
  const began = performance.now()
  const intervals: ProcessorTime[] = []
  let last = processorTime()
  const sample = (): void => {
    const now = processorTime()
    if (now !== null && last !== null) intervals.push(difference(now, last))
    last = now
  }
  const timer = setInterval(sample, SAMPLE_MS)
  return {
    stop: () => {
      clearInterval(timer)
      sample()
      if (last === null) return null
      const windows = Array.from({ length: Math.max(1, intervals.length - WINDOW + 1) }, (_, at) =>
        shares(intervals.slice(at, at + WINDOW)),
      )
      return {
        seconds: Math.round((performance.now() - began) / 1_000),
        loadAverage,
        mean: shares(intervals),
        highest: {
          others: Math.max(...windows.map(({ others }) => others)),
          stolen: Math.max(...windows.map(({ stolen }) => stolen)),
        },
      }
    },
  }
}

const difference = (now: ProcessorTime, last: ProcessorTime): ProcessorTime => ({
  total: now.total - last.total,
  stolen: now.stolen - last.stolen,
  busy: now.busy - last.busy,
  own: now.own - last.own,
})

function shares(intervals: readonly ProcessorTime[]): Shares {
  // The time of a process is lost if it ends after its parent.
  const known = intervals.filter(({ own }) => own >= 0)
  const total = known.reduce((sum, each) => sum + each.total, 0) || 1
  const others = known.reduce((sum, { busy, own }) => sum + busy - own, 0)
  const stolen = known.reduce((sum, each) => sum + each.stolen, 0)
  return { others: rounded(Math.max(0, others / total), 3), stolen: rounded(stolen / total, 3) }
}
