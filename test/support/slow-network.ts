import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseConnection } from '../../src/db/orm-types.ts'

/**
 * A proxy between a client and PostgreSQL. It delays each chunk from the server by `lateMs()`
 * milliseconds, 0 by default.
 */
export async function slowNetwork(connection: DatabaseConnection, lateMs: () => number = () => 0) {
  const sockets = new Set<Socket>()
  let silenceNext = false
  const server = createServer((client) => {
    const upstream = connectTo(connection)
    let silent = false
    client.on('data', (chunk) => {
      silent ||= silenceNext
      silenceNext &&= !silent
      if (!silent) upstream.write(chunk)
    })
    let before = Promise.resolve()
    upstream.on('data', (chunk) => {
      const due = delay(lateMs())
      before = before.then(() => due).then(() => void client.write(chunk))
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: urlThrough(connection, port),
    /** Drops all data, both ways, of the next connection on which the client sends something. */
    silenceNext: () => void (silenceNext = true),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
export type SlowNetwork = Awaited<ReturnType<typeof slowNetwork>>

function connectTo(connection: DatabaseConnection): Socket {
  if (!('url' in connection)) return connect(`${connection.host}/.s.PGSQL.5432`)
  const { hostname, port } = new URL(connection.url)
  return connect(Number(port || 5432), hostname)
}

function urlThrough(connection: DatabaseConnection, port: number): string {
  const url = new URL(
    'url' in connection ? connection.url : `postgresql://${connection.user}@socket/${connection.database}`,
  )
  url.hostname = '127.0.0.1'
  url.port = String(port)
  return url.href
}
