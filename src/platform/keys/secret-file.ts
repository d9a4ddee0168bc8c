import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { OperatorError } from '../process/operator-error.ts'

/** Throws OperatorError if the file cannot be read, or if other users can read it. */
export function readSecretFile(path: string): string {
  let content: string
  try {
    content = readFileSync(path, 'utf8')
  } catch (error) {
    throw new OperatorError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`, {
      cause: error,
    })
  }
  const mode = statSync(path).mode & 0o777
  if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
    throw new OperatorError(
      `${path} can be read by other users (mode ${mode.toString(8)}). Run: chmod 600 ${path}`,
    )
  }
  return content
}

/**
 * Writes a new file that only its owner can read, completely or not at all. Keeps an existing file.
 */
export function writeNewSecretFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}`
  writeFileSync(temporary, text, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  try {
    linkSync(temporary, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(temporary, { force: true })
  }
}
