import { closeSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs'
import { OperatorError } from '../operator-error.ts'

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
  for (;;) {
    try {
      const descriptor = openSync(file, 'wx', 0o600)
      writeSync(descriptor, identity(process.pid))
      closeSync(descriptor)
      return () => {
        if (readLock(file) === identity(process.pid)) rmSync(file, { force: true })
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = pidLockHolder(file)
    if (holder !== null) throw new LockHeldError(file, holder)
    discardStale(file)
  }
}

/** The process id of the live holder, or null. */
export function pidLockHolder(file: string): number | null {
  const content = readLock(file)
  const pid = Number(content?.split(' ')[0])
  return content !== null && pid > 0 && content === identity(pid) && isAlive(pid) ? pid : null
}

// Renaming first makes sure that of two processes only one removes the file it judged.
function discardStale(file: string): void {
  const aside = `${file}.${process.pid}.stale`
  try {
    renameSync(file, aside)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
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
