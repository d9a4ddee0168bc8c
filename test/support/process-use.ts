import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

export function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  ;(runInNewContext('gc') as () => void)()
}

/** Bytes after a garbage collection. */
export function usedMemory(): number {
  collectGarbage()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

/** Processor time of this thread while `run` runs, in milliseconds. */
export async function processorMs(run: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** The least of up to three runs, until one is below the limit: other work can only add. */
export async function leastProcessorMs(limit: number, run: () => Promise<unknown>): Promise<number> {
  let least = Infinity
  for (let i = 0; i < 3 && least >= limit; i += 1) least = Math.min(least, await processorMs(run))
  return least
}
