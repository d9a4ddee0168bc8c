import { readFileSync } from 'node:fs'

/**
 * Resident memory of a process in MiB, now or at its peak. Null if the system does not report it.
 */
export function residentMib(pid: number | undefined, when: 'now' | 'peak'): number | null {
  if (process.platform !== 'linux') return null
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  const kib = new RegExp(`^${when === 'now' ? 'VmRSS' : 'VmHWM'}:\\s+(\\d+)`, 'm').exec(status)?.[1]
  return kib === undefined ? null : Math.round(Number(kib) / 1024)
}
