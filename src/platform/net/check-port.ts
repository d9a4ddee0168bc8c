import { once } from 'node:events'
import { createServer } from 'node:net'

/**
 * Throws EADDRINUSE if a process listens on the port. With `reusePort`, listening would succeed,
 * and both services would get a part of the connections.
 */
export async function checkPortIsFree(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host)
  await once(server, 'listening')
  server.close()
  await once(server, 'close')
}
