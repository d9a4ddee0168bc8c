import { readFileSync } from 'node:fs'

const LISTENING = '0A'

/** The TCP connections of these ports that a process of this machine has not closed. Linux only. */
export function openServerSockets(ports: readonly number[]): number {
  let open = 0
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(file, 'utf8').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode = '0'] = line.trim().split(/\s+/)
      const port = Number.parseInt(local.split(':')[1] ?? '', 16)
      // A connection that only the system still has belongs to no process.
      if (ports.includes(port) && state !== LISTENING && inode !== '0') open += 1
    }
  }
  return open
}
