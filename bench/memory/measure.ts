import { readFileSync } from 'node:fs'
import { residentMib } from '../support/memory.ts'

/** Memory of a gateway in MiB. */
export interface MemoryUse {
  /** Of the process, all threads included. Null if the system does not report it. */
  readonly residentMib: number | null
  /** Of the main thread. */
  readonly heapUsedMib: number
  readonly heapTotalMib: number
  /** Buffers and other memory outside the heap that JavaScript objects keep. */
  readonly externalMib: number
}

const MIB = 1024 * 1024
/** Linux counts processor time in ticks of this length. */
const TICK_MS = 10

export async function readMemory(gateway: { pid: number; baseUrl: string }): Promise<MemoryUse> {
  const metrics = await (await fetch(`${gateway.baseUrl}/metrics`)).text()
  const mib = (name: string): number =>
    Math.round(Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(metrics)?.[1]) / MIB)
  return {
    residentMib: residentMib(gateway.pid, 'now'),
    heapUsedMib: mib('nodejs_heap_size_used_bytes'),
    heapTotalMib: mib('nodejs_heap_size_total_bytes'),
    externalMib: mib('nodejs_external_memory_bytes'),
  }
}

/** Processor time that a process has used. Null if the system does not report it. */
export function processorMs(pid: number): number | null {
  if (process.platform !== 'linux') return null
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The name is in parentheses and may contain spaces and parentheses.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}
