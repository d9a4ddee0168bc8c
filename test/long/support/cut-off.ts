import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy that can be cut: open connections break, and new ones are refused. */
export interface CutOff {
  readonly url: string
  cut(): Promise<void>
  mend(): Promise<void>
}

/** `target`: http or ws address on loopback. */
export async function cutOff(target: string): Promise<CutOff> {
  const { protocol, port } = new URL(target)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(port), '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.pipe(other)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const own = (server.address() as AddressInfo).port
  return {
    url: `${protocol}//127.0.0.1:${own}`,
    cut: async () => {
      if (!server.listening) return
      const closed = once(server, 'close')
      server.close()
      for (const socket of sockets) socket.destroy()
      await closed
    },
    mend: async () => {
      server.listen(own, '127.0.0.1')
      await once(server, 'listening')
    },
  }
}
