import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder for a DATA_DIR. Open to pass through: run by root, PostgreSQL is another user and must reach it. */
export function temporaryFolder(prefix: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix))
  chmodSync(folder, 0o755)
  return folder
}

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 31

/**
 * Where files last no longer than the run: in memory where there is room. Hundreds of databases are made and dropped, and ext4 looks through what was deleted
 * in the last seconds for each file that it makes.
 */
export function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize >= ENOUGH_BYTES) return MEMORY
  } catch {
    // Not every system has it.
  }
  return tmpdir()
}
