import { spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Placement } from './placement.ts'

const MAJOR_VERSION = '18'
/** Sorting is by bytes. Trigram search needs a locale that knows the letters of Unicode. */
const CHARACTER_TYPES = ['C.UTF-8', 'en_US.UTF-8', 'C']

/**
 * Creates the cluster if it is missing. Removes a partly created one of a start that was killed.
 */
export async function ensureCluster(
  binaries: string,
  placement: Placement,
  signal: AbortSignal,
): Promise<void> {
  const { clusterDir, uid } = placement
  if (existsSync(clusterDir)) {
    const version = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim()
    if (version === MAJOR_VERSION) return
    throw new Error(
      `${clusterDir} belongs to PostgreSQL ${version}, but this is ${MAJOR_VERSION}: dump and restore it, or delete DATA_DIR`,
    )
  }
  const unfinished = `${clusterDir}.unfinished`
  for (const ctype of CHARACTER_TYPES) {
    rmSync(unfinished, { recursive: true, force: true })
    // `trust` is safe: the only access is a unix socket in a folder that only its owner can open.
    const failure = await run(join(binaries, 'bin', 'initdb'), { uid, signal }, [
      `--pgdata=${unfinished}`,
      '--username=postgres',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C',
      `--lc-ctype=${ctype}`,
      '--data-checksums',
    ])
    if (failure === null) break
    if (ctype === CHARACTER_TYPES.at(-1)) throw new Error(`initdb failed: ${failure}`)
  }
  renameSync(unfinished, clusterDir)
}

/** The environment of the server's programs, without the PG* variables of this process. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

/** Resolves to null, or to the output of a failed program. */
function run(
  program: string,
  { uid, signal }: { uid: number | undefined; signal: AbortSignal },
  args: string[],
): Promise<string | null> {
  const { promise, resolve, reject } = Promise.withResolvers<string | null>()
  const options = uid === undefined ? {} : { uid, gid: uid }
  const child = spawn(program, args, { ...options, signal, cwd: '/', env: serverEnvironment() })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.on('error', reject)
  child.on('close', (code) => resolve(code === 0 ? null : `code ${code}, ${output.slice(-2_000)}`))
  return promise
}
