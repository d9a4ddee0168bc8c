import { execFileSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/**
 * Installs the packages of a folder beside this file, if they are missing or its lock file is
 * newer. Returns the folder.
 */
export function installedTools(name: string): string {
  const folder = fileURLToPath(new URL(name, import.meta.url))
  const [wanted, installed] = ['package-lock.json', 'node_modules/.package-lock.json'].map((file) =>
    join(folder, file),
  ) as [string, string]
  if (!existsSync(installed) || statSync(wanted).mtimeMs > statSync(installed).mtimeMs)
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      stdio: 'inherit',
    })
  return folder
}
