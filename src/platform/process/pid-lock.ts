import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { OperatorError } from './operator-error.ts'

/** Another live process holds the lock. */
export class LockHeldError extends OperatorError {
  override readonly name = 'LockHeldError'
  readonly pid: number

  constructor(file: string, pid: number) {
    super(`${file} is held by process ${pid}`)
    this.pid = pid
  }
}

/**
 * Takes the lock file for this process and returns what gives it back. A file left by a process that died
 * (kill -9, power loss) is taken over; one of a live process throws LockHeldError.
 */
export function acquirePidLock(file: string): () => void {
  const own = identity(process.pid)
  // Linked into place whole: nobody ever sees a lock without its holder's name.
  const prepared = `${file}.${process.pid}`
  writeFileSync(prepared, own, { mode: 0o600 })
  try {
    for (;;) {
      const found = readLock(file)
      if (found === null && tryLink(prepared, file)) break
      if (found === null) continue
      const holder = livePid(found)
      if (holder !== null) throw new LockHeldError(file, holder)
      discardStale(file, found)
    }
  } finally {
    rmSync(prepared, { force: true })
  }
  return () => {
    if (readLock(file) === own) rmSync(file, { force: true })
  }
}

/** The process id of the live holder, or null. */
export function pidLockHolder(file: string): number | null {
  const found = readLock(file)
  return found === null ? null : livePid(found)
}

function livePid(lock: string): number | null {
  const pid = Number(lock.split(' ')[0])
  return pid > 0 && lock === identity(pid) && isAlive(pid) ? pid : null
}

function tryLink(prepared: string, file: string): boolean {
  try {
    linkSync(prepared, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

// Another process may have taken the lock over since it was judged: what was moved aside is looked at, and put back if it lives.
function discardStale(file: string, judged: string): void {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return
  }
  if (readLock(aside) !== judged) tryLink(aside, file)
  rmSync(aside, { force: true })
}

function readLock(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Whether a process runs. One that has ended but whose parent has not noticed (a zombie) does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return processFacts(pid)?.state !== 'Z'
}

// With the start time a reused process id is not mistaken for the holder.
function identity(pid: number): string {
  const startTime = processFacts(pid)?.startTime
  return startTime === undefined ? `${pid}` : `${pid} ${startTime}`
}

// Linux only: fields 3 and 22 of the stat line, counted after the name, which stands in parentheses.
function processFacts(pid: number): { state: string | undefined; startTime: string | undefined } | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0], startTime: fields[19] }
  } catch {
    return null
  }
}
