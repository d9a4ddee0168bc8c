import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** MiB of resident memory. */
export interface Memory {
  readonly gatewayMib: number
  /** Memory of all its processes. Shared pages are counted once. */
  readonly postgresMib: number
}

/** Memory of a gateway and its embedded PostgreSQL. Null if the system is not Linux. */
export function residentMemory(gatewayPid: number, dataDir: string): Memory | null {
  if (process.platform !== 'linux') return null
  const [line] = readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')
  const postmaster = Number(line)
  const processes = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid === postmaster || parentOf(pid) === postmaster)
  return {
    gatewayMib: mib(gatewayPid, 'Rss'),
    postgresMib: processes.reduce((sum, pid) => sum + mib(pid, 'Pss'), 0),
  }
}

function parentOf(pid: number): number | null {
  const status = read(pid, 'status')
  const parent = /^PPid:\s+(\d+)/m.exec(status)?.[1]
  return parent === undefined ? null : Number(parent)
}

function mib(pid: number, kind: 'Rss' | 'Pss'): number {
  return Number(new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(read(pid, 'smaps_rollup'))?.[1] ?? 0) / 1024
}

/** Empty if there is no such process. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}
