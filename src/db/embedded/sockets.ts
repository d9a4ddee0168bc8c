import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isAlive } from '../../platform/process/pid-lock.ts'
import { makePrivate, type Placement } from './placement.ts'

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
