import { monitorEventLoopDelay } from 'node:perf_hooks'

/** Of the process: CPU time since its start, memory now, the rest since the last usage. */
export interface Usage extends NodeJS.CpuUsage {
  readonly residentBytes: number
  /** Milliseconds by which timers of the event loop were late. */
  readonly delayP99: number
  readonly delayMax: number
}

const RESOLUTION_MS = 1
const NANOSECONDS = 1e6

/** Runs in the process of a variant. Reports its port, and its usage whenever the parent asks. */
export function serveMeasured(port: number): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  process.send?.(port)
  process.on('message', () => {
    const usage: Usage = {
      ...process.cpuUsage(),
      residentBytes: process.memoryUsage.rss(),
      delayP99: delay.percentile(99) / NANOSECONDS - RESOLUTION_MS,
      delayMax: delay.max / NANOSECONDS - RESOLUTION_MS,
    }
    delay.reset()
    process.send?.(usage)
  })
  process.once('disconnect', () => process.exit(0))
}
