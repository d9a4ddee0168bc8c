import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { temporaryFolder } from '../test/support/temporary-folder.ts'
import { judged, loadBefore, type Machine, problems } from './machine/limits.ts'
import { watchLoad } from './machine/load.ts'
import type { Result } from './support/result.ts'

/** The largest ledger takes hours to generate. */
const LIMIT_MS = 12 * 60 * 60_000

export interface Run {
  /** Null if the bench ended without one. */
  readonly result: Result | null
  readonly machine: Machine
  /** Reason of a failure. */
  readonly problem: string | null
}

/**
 * Runs a bench in its own process group and temporary folder, and measures the load of the machine
 * before and during it. Ends its processes and removes the folder, also after a failure.
 */
export async function runBench(main: string): Promise<Run> {
  const before = await loadBefore()
  for (const problem of problems('before', before)) process.stderr.write(`BUSY MACHINE: ${problem}\n`)
  const folder = temporaryFolder('gateway-bench-')
  const file = join(folder, 'result.json')
  const watch = watchLoad()
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, TMPDIR: folder, BENCH_RESULT_FILE: file },
    stdio: 'inherit',
    detached: true,
  })
  const interrupt = (): boolean => signal(-(child.pid ?? 0), 'SIGTERM')
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const limit = setTimeout(interrupt, LIMIT_MS)
  const [code, killedBy] = (await once(child, 'exit')) as [number | null, string | null]
  const machine = judged(before, watch.stop())
  clearTimeout(limit)
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  signal(-(child.pid ?? 0), 'SIGKILL')
  for (const parent of [folder, process.env.BENCH_KEEP_DIR ?? []].flat()) await stopDatabases(parent)
  const result = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Result) : null
  rmSync(folder, { recursive: true, force: true })
  const failure = killedBy === null ? `failed with exit code ${code}` : `was ended by ${killedBy}`
  return { result, machine, problem: code === 0 && result !== null ? null : failure }
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
