import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const ATTEMPTS = 50
const LAST_PORT = 65_535

/**
 * Listens with HTTP on the port and with the WebSocket server on the next one, where stock clients look for it.
 * Port 0 finds a free pair.
 * @returns the HTTP port
 */
export async function listenOnPair(
  http: Server,
  sockets: Server,
  port: number,
  host: string,
): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    await listen(http, port, host)
    const actual = (http.address() as AddressInfo).port
    try {
      if (actual === LAST_PORT) throw new Error('no port after the last one')
      await listen(sockets, actual + 1, host)
      return actual
    } catch (error) {
      await new Promise((resolve) => http.close(resolve))
      if (port !== 0 || attempt === ATTEMPTS) throw error
    }
  }
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: Error): void => reject(error)
    server.once('error', failed)
    server.listen(port, host, () => {
      server.off('error', failed)
      resolve()
    })
  })
}
