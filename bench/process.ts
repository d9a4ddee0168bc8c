import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { temporaryFolder } from '../test/support/temporary-folder.ts'

/** Generating the ledger of the catch-up bench takes longest. */
const LIMIT_MS = 90 * 60_000

/**
 * Runs a bench in its own process group and temporary folder. Ends its processes and removes the
 * folder, also after a failure. Returns the reason of a failure, else null.
 */
export async function runBench(main: string): Promise<string | null> {
  const folder = temporaryFolder('gateway-bench-')
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, TMPDIR: folder },
    stdio: 'inherit',
    detached: true,
  })
  const interrupt = (): boolean => signal(-(child.pid ?? 0), 'SIGTERM')
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const limit = setTimeout(interrupt, LIMIT_MS)
  const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null]
  clearTimeout(limit)
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  signal(-(child.pid ?? 0), 'SIGKILL')
  await stopDatabases(folder)
  rmSync(folder, { recursive: true, force: true })
  if (killedBy !== null) return `was ended by ${killedBy}`
  return code === 0 ? null : `failed with exit code ${code}`
}

/** An embedded PostgreSQL has its own process group. */
async function stopDatabases(folder: string): Promise<void> {
  for (const file of globSync(`${folder}/**/postmaster.pid`)) {
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0])
    signal(pid, 'SIGQUIT')
    while (signal(pid, 0)) await delay(10)
  }
}

/** False if the process no longer exists. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}
