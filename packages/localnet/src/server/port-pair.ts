import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'

export const HOST = '127.0.0.1'
const ATTEMPTS = 50
const LAST_PORT = 65_535

/**
 * Listens with the HTTP server on the port and with the WebSocket server on the next port, where
 * stock clients expect it. Port 0 finds a free pair.
 * @returns the HTTP port
 */
export async function listenOnPair(http: Server, sockets: Server, port: number): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    await listen(http, port)
    const actual = (http.address() as AddressInfo).port
    try {
      if (actual === LAST_PORT) throw new Error('there is no port after 65535')
      await listen(sockets, actual + 1)
      return actual
    } catch (error) {
      await new Promise((resolve) => http.close(resolve))
      if (port !== 0 || attempt === ATTEMPTS) throw error
    }
  }
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, HOST)
  // Rejects if the server emits an error.
  await once(server, 'listening')
}
