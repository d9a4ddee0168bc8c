import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { isAlive } from '../../platform/process/pid-lock.ts'

/** The user `nobody`, because PostgreSQL does not run as root. */
const UNPRIVILEGED_ID = 65_534
/** Used instead of DATA_DIR if the service runs as root and `nobody` cannot enter DATA_DIR. */
const SYSTEM_STATE_DIR = '/var/lib/agent-registry-gateway'
/** A socket path has at most 103 bytes on macOS, and `/PID-random/.s.PGSQL.5432` has 29. */
const LONGEST_SOCKETS_DIR = 74

export interface Placement {
  /** The database cluster's folder. */
  clusterDir: string
  /** Has a folder for the unix socket of each start, open to its owner only. */
  socketsDir: string
  /**
   * Gets a copy of the binaries if the server's user cannot enter the folder of the installed ones.
   */
  binaryCacheDir: string
  /** The user that runs the server. Undefined: the current one. */
  uid: number | undefined
}

/** Chooses the folders of the cluster and its sockets, and creates the first. */
export function placeCluster(dataDir: string): Placement {
  const base = resolve(dataDir)
  mkdirSync(base, { recursive: true })
  const uid = process.getuid?.() === 0 ? UNPRIVILEGED_ID : undefined
  const home = uid === undefined || isReachable(base) ? join(base, 'postgres') : systemHome(base)
  makePrivate(home, uid)
  const ownSockets = join(home, 'sockets')
  return {
    clusterDir: join(home, 'cluster'),
    socketsDir: Buffer.byteLength(ownSockets) <= LONGEST_SOCKETS_DIR ? ownSockets : shortSocketsDir(home),
    binaryCacheDir: join(SYSTEM_STATE_DIR, 'postgres-binaries'),
    uid,
  }
}

/** Whether other users than the owner can enter every folder of the path. */
export function isReachable(path: string): boolean {
  for (let folder = resolve(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}

// The name is stored in DATA_DIR, so after DATA_DIR is deleted the database is empty here too.
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

function shortSocketsDir(home: string): string {
  const name = createHash('sha256').update(home).digest('hex').slice(0, 12)
  return join(tmpdir(), `argw-${name}`)
}

/** Creates the folder, and lets only the server's user enter it. */
function makePrivate(folder: string, uid: number | undefined): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const owner = uid ?? process.getuid?.()
  const found = lstatSync(folder)
  const trusted = found.isDirectory() && [owner, process.getuid?.()].includes(found.uid)
  if (!trusted) throw new Error(`${folder} belongs to another user: move it, or set DATABASE_URL`)
  if (uid !== undefined) chownSync(folder, uid, uid)
  chmodSync(folder, 0o700)
}

/** The name of each folder begins with the id of the gateway that made it. */
const FOLDER = /^(\d+)-\w{6}$/

/**
 * Clients use this path. It is a link to the folder of the server that runs, so open pools find a
 * server that was started again.
 */
export function clientDir({ socketsDir }: Placement): string {
  return join(socketsDir, 'current')
}

/**
 * A new folder for the socket of one start. A server that stops removes its socket by its path,
 * even a server whose data folder was deleted: with a path of its own it harms no later one.
 */
export function createSocketDir(placement: Placement): string {
  const { socketsDir, uid } = placement
  makePrivate(socketsDir, uid)
  removeLeftovers(placement)
  const folder = mkdtempSync(join(socketsDir, `${process.pid}-`))
  makePrivate(folder, uid)
  return folder
}

export function useSocketDir(placement: Placement, folder: string): void {
  makePrivate(placement.socketsDir, placement.uid)
  const link = clientDir(placement)
  const unfinished = `${link}.${process.pid}`
  rmSync(unfinished, { force: true })
  symlinkSync(folder, unfinished)
  renameSync(unfinished, link)
}

/** Does nothing for the socket of an older version, which is in the folder of the cluster. */
export function removeSocketDir({ socketsDir }: Placement, folder: string): void {
  if (dirname(folder) === socketsDir) rmSync(folder, { recursive: true, force: true })
}

// Of servers and gateways that were killed.
function removeLeftovers({ socketsDir }: Placement): void {
  for (const name of readdirSync(socketsDir)) {
    const gateway = FOLDER.exec(name)?.[1]
    const folder = join(socketsDir, name)
    if (gateway === undefined || isAlive(Number(gateway)) || isServerAlive(folder)) continue
    rmSync(folder, { recursive: true, force: true })
  }
}

function isServerAlive(folder: string): boolean {
  try {
    return isAlive(Number(readFileSync(join(folder, '.s.PGSQL.5432.lock'), 'utf8').split('\n')[0]))
  } catch {
    return false
  }
}
