import { spawnSync } from 'node:child_process'

/** The command of an installed Chromium. Undefined if there is none. */
export const BROWSER = ['chromium', 'chromium-browser', 'google-chrome'].find(
  (name) => spawnSync(name, ['--version']).status === 0,
)
