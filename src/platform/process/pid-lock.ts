import { chmodSync, linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { OperatorError } from './operator-error.ts'

/**
 * Takes the lock file for this process and returns a function that releases it. Replaces the file
 * of a process that died. Throws OperatorError with `problem` if the process that holds it is
 * alive.
 */
export function acquirePidLock(file: string, problem: (pid: number) => string): () => void {
  const own = identity(process.pid)
  for (;;) {
    const found = readLock(file)
    if (found === null && writeNewFile(file, own)) break
    if (found === null) continue
    const holder = livePid(found)
    if (holder !== null) throw new OperatorError(problem(holder))
    discardStale(file, found)
  }
  return () => {
    if (readLock(file) === own) rmSync(file, { force: true })
  }
}

/** The id of the process that holds the lock, or null. */
export function pidLockHolder(file: string): number | null {
  const found = readLock(file)
  return found === null ? null : livePid(found)
}

function livePid(lock: string): number | null {
  const pid = Number(lock.split(' ')[0])
  return pid > 0 && lock === identity(pid) && isAlive(pid) ? pid : null
}

/** Writes a private file, completely or not at all. Returns false and keeps an existing one. */
export function writeNewFile(file: string, text: string): boolean {
  const temporary = `${file}.${process.pid}`
  writeFileSync(temporary, text, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  try {
    return tryLink(temporary, file)
  } finally {
    rmSync(temporary, { force: true })
  }
}

function tryLink(temporary: string, file: string): boolean {
  try {
    linkSync(temporary, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

// Another process may have taken the lock in the meantime. Then its file is put back.
function discardStale(file: string, stale: string): void {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return
  }
  if (readLock(aside) !== stale) tryLink(aside, file)
  rmSync(aside, { force: true })
}

function readLock(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}

/** Whether a process runs. A zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return processFacts(pid).state !== 'Z'
}

// The start time tells the holder from a later process with the same id.
function identity(pid: number): string {
  const { startTime } = processFacts(pid)
  return startTime === undefined ? `${pid}` : `${pid} ${startTime}`
}

// Linux only: fields 3 and 22 of the stat line, counted after the name in parentheses.
function processFacts(pid: number): { state?: string; startTime?: string } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0], startTime: fields[19] }
  } catch {
    return {}
  }
}
