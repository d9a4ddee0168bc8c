import { once } from 'node:events'
import { createServer } from 'node:net'

/** Whether a process listens on the port. Throws if it cannot be used for another reason. */
export async function isPortInUse(host: string, port: number): Promise<boolean> {
  const server = createServer().listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return true
    throw error
  }
  server.close()
  await once(server, 'close')
  return false
}
