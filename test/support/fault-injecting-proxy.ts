import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy for HTTP and WebSocket that can be cut. Clients then see a dead server. */
export interface FaultInjectingProxy {
  readonly port: number
  /** The number of accepted connections. */
  readonly connections: number
  /** Closes all connections and refuses new ones. */
  cut(): Promise<void>
  /** Accepts connections again at the same port. */
  restore(): Promise<void>
  close(): Promise<void>
}

export async function createFaultInjectingProxy(targetUrl: string): Promise<FaultInjectingProxy> {
  const { hostname, port: targetPort } = new URL(targetUrl)
  const open = new Set<Socket>()
  let connections = 0
  const server = createServer((client) => {
    connections += 1
    const upstream = connect(Number(targetPort), hostname)
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(one)
      one.on('error', () => other.destroy())
      one.on('close', () => {
        open.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const listen = async (port: number): Promise<void> => {
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
  }
  const cut = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of open) socket.destroy()
    await closed
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    get connections() {
      return connections
    },
    cut,
    restore: () => listen(port),
    close: cut,
  }
}
