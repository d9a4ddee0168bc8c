import { chmodSync, mkdtempSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * A new folder for a DATA_DIR. Others may pass through it: if root runs the tests, PostgreSQL is
 * another user.
 */
export function temporaryFolder(prefix: string, parent = tmpdir()): string {
  const folder = mkdtempSync(join(parent, prefix))
  chmodSync(folder, 0o755)
  return folder
}

const MEMORY = '/dev/shm'
const ENOUGH_BYTES = 2 ** 31

/**
 * A folder for files of this run only, in memory if there is space. Tests create and drop hundreds
 * of databases, which is slow on ext4: for each new file it checks what was deleted recently.
 */
export function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    if (bavail * bsize >= ENOUGH_BYTES) return MEMORY
  } catch {
    // Not every system has this folder.
  }
  return tmpdir()
}
