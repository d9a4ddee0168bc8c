import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

/**
 * The path of an installed Chromium: `CHROMIUM`, or the first on the PATH. Undefined if there is
 * none.
 */
export const BROWSER_PATH = [
  ...(process.env.CHROMIUM === undefined ? [] : [process.env.CHROMIUM]),
  ...NAMES.flatMap((name) => (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))),
].find(isExecutable)

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
