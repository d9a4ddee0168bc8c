import { readdirSync, readFileSync } from 'node:fs'

/** Processor time in ticks, of which Linux has 100 a second. */
export interface ProcessorTime {
  /** Of all processors, idle or not. */
  readonly total: number
  /** Taken by the hypervisor for other machines. */
  readonly stolen: number
  readonly busy: number
  /** Of this process and its descendants. */
  readonly own: number
}

interface Process {
  readonly pid: number
  readonly name: string
  readonly parent: number
  /** Its own time, and the time of children that ended and were waited for. */
  readonly ticks: number
}

const KERNEL = 2
const TICKS = 100

/**
 * Processor time since the start of the system. Null if the system is not Linux. `busy` includes
 * processes of other containers. With DATABASE_URL, all processes named postgres are the bench's
 * own.
 */
export function processorTime(): ProcessorTime | null {
  if (process.platform !== 'linux') return null
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number)
  const own = ownProcesses(readProcesses()).reduce((sum, { ticks }) => sum + ticks, 0)
  const total = user + nice + system + idle + iowait + irq + softirq + stolen
  return { total, stolen, busy: user + nice + system, own }
}

/** This process and its descendants. Threads of the kernel work for all. */
function ownProcesses(all: readonly Process[]): Process[] {
  const given = Boolean(process.env.DATABASE_URL)
  const isOwn = ({ pid, name }: Process): boolean =>
    pid === process.pid || pid === KERNEL || (given && name === 'postgres')
  return descendants(all, isOwn)
}

/** The processes that `isRoot`, and those below them. */
function descendants(all: readonly Process[], isRoot: (each: Process) => boolean): Process[] {
  const byPid = new Map(all.map((each) => [each.pid, each]))
  const isIncluded = (each: Process): boolean => {
    if (isRoot(each)) return true
    const above = byPid.get(each.parent)
    return above !== undefined && isIncluded(above)
  }
  return all.filter(isIncluded)
}

/**
 * Seconds that a process and its descendants have used, also those that have ended. Null if the
 * system is not Linux.
 */
export function processorSeconds(root: number): number | null {
  if (process.platform !== 'linux') return null
  const ticks = descendants(readProcesses(), ({ pid }) => pid === root)
  return ticks.reduce((sum, each) => sum + each.ticks, 0) / TICKS
}

function readProcesses(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => readProcess(Number(pid)) ?? [])
}

/** Null if it ended meanwhile. */
function readProcess(pid: number): Process | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in parentheses and may contain spaces and parentheses.
    const end = text.lastIndexOf(')')
    const fields = text.slice(end + 2).split(' ')
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { pid, name: text.slice(text.indexOf('(') + 1, end), parent: Number(fields[1]), ticks }
  } catch {
    return null
  }
}
