import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy for HTTP and WebSocket that can be cut. Clients then see a dead server. */
export async function createFaultInjectingProxy(targetUrl: string) {
  const { protocol, hostname, port: targetPort } = new URL(targetUrl)
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
    url: `${protocol}//127.0.0.1:${port}`,
    get connections() {
      return connections
    },
    /** Closes all connections and refuses new ones. */
    cut,
    /** Accepts connections again at the same port. */
    restore: () => listen(port),
    close: cut,
  }
}
export type FaultInjectingProxy = Awaited<ReturnType<typeof createFaultInjectingProxy>>

/** A ledger node behind proxies of its HTTP and its WebSocket address. */
export async function createProxiedNode({ rpcUrl, wsUrl }: { rpcUrl: string; wsUrl: string }) {
  const [http, socket] = [await createFaultInjectingProxy(rpcUrl), await createFaultInjectingProxy(wsUrl)]
  const cut = async (): Promise<void> => {
    await Promise.all([http.cut(), socket.cut()])
  }
  const restore = async (): Promise<void> => {
    await Promise.all([http.restore(), socket.restore()])
  }
  return {
    http,
    socket,
    cut,
    restore,
    close: cut,
    env: { SOLANA_RPC_URL: http.url, SOLANA_WS_URL: socket.url },
  }
}

export type ProxiedNode = Awaited<ReturnType<typeof createProxiedNode>>
