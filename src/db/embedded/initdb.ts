import { spawn } from 'node:child_process'
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Placement } from './placement.ts'

const MAJOR_VERSION = '18'

/** Makes the cluster where there is none. Half-made clusters of a killed start are thrown away. */
export async function ensureCluster(binaries: string, placement: Placement): Promise<void> {
  const { clusterDir, uid } = placement
  if (existsSync(clusterDir)) {
    const version = readFileSync(join(clusterDir, 'PG_VERSION'), 'utf8').trim()
    if (version === MAJOR_VERSION) return
    throw new Error(
      `${clusterDir} was made by PostgreSQL ${version}, this is ${MAJOR_VERSION}: dump and restore it, or remove DATA_DIR`,
    )
  }
  const unfinished = `${clusterDir}.unfinished`
  rmSync(unfinished, { recursive: true, force: true })
  // Trust is safe here: the only way in is the unix socket in a folder that only its owner can open.
  await run(join(binaries, 'bin', 'initdb'), uid, [
    `--pgdata=${unfinished}`,
    '--username=postgres',
    '--auth=trust',
    '--encoding=UTF8',
    '--locale=C',
    '--data-checksums',
  ])
  renameSync(unfinished, clusterDir)
}

/** The environment for the server's programs: none of the caller's PG* variables. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

function run(program: string, uid: number | undefined, args: string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const options = uid === undefined ? {} : { uid, gid: uid }
  const child = spawn(program, args, { ...options, cwd: '/', env: serverEnvironment() })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  child.on('error', reject)
  child.on('close', (code) =>
    code === 0 ? resolve() : reject(new Error(`initdb failed with code ${code}: ${output.slice(-2_000)}`)),
  )
  return promise
}
