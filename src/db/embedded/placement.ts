import { createHash, randomBytes } from 'node:crypto'
import { chmodSync, chownSync, lstatSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'

/** PostgreSQL refuses to run as root; this is `nobody`, who has an entry in every passwd file. */
const UNPRIVILEGED_ID = 65_534
/** Where a root service keeps what `nobody` must reach when DATA_DIR lies in a closed home directory. */
const SYSTEM_STATE_DIR = '/var/lib/agent-registry-gateway'
/** sun_path holds 108 bytes, of which `/.s.PGSQL.5432` takes 14. */
const LONGEST_SOCKET_DIR = 90

export interface Placement {
  /** The database cluster's folder. */
  clusterDir: string
  /** The folder of the unix socket, open to its owner only. */
  socketDir: string
  /** Where binaries are copied to when the installed ones cannot be reached by the server's user. */
  binaryCacheDir: string
  /** The user that runs the server; undefined means the current one. */
  uid: number | undefined
}

/** Decides where the cluster and its socket live, and makes the folders. */
export function placeCluster(dataDir: string): Placement {
  const base = resolve(dataDir)
  mkdirSync(base, { recursive: true })
  const uid = process.getuid?.() === 0 ? UNPRIVILEGED_ID : undefined
  const home = uid === undefined || isReachable(base) ? join(base, 'postgres') : systemHome(base)
  makePrivate(home, uid)
  return {
    clusterDir: join(home, 'cluster'),
    socketDir: home.length <= LONGEST_SOCKET_DIR ? home : shortSocketDir(home, uid),
    binaryCacheDir: join(SYSTEM_STATE_DIR, 'postgres-binaries'),
    uid,
  }
}

/** True when users other than the owner may pass every folder on the way. */
export function isReachable(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

// The name is kept in DATA_DIR, so removing DATA_DIR starts from an empty database here too.
function systemHome(base: string): string {
  const marker = join(base, 'postgres.location')
  try {
    return readFileSync(marker, 'utf8').trim()
  } catch {
    mkdirSync(SYSTEM_STATE_DIR, { recursive: true, mode: 0o755 })
    const home = join(SYSTEM_STATE_DIR, randomBytes(8).toString('hex'))
    writeFileSync(marker, `${home}\n`)
    return home
  }
}

function shortSocketDir(home: string, uid: number | undefined): string {
  const name = createHash('sha256').update(home).digest('hex').slice(0, 16)
  const folder = join(tmpdir(), `registry-gateway-${name}`)
  makePrivate(folder, uid)
  return folder
}

function makePrivate(folder: string, uid: number | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = uid ?? process.getuid?.()
  const found = lstatSync(folder)
  const trusted = found.isDirectory() && [owner, process.getuid?.()].includes(found.uid)
  if (!trusted) throw new Error(`${folder} belongs to another user: move it away, or set DATABASE_URL`)
  if (uid !== undefined) chownSync(folder, uid, uid)
  chmodSync(folder, 0o700)
}
