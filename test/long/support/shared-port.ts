import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { isAlive } from '../../../src/platform/process/pid-lock.ts'

/** The ids of the processes that a process has started. */
export async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const processes = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  return processes.filter(([, parent]) => parent === pid).map(([child = 0]) => child)
}

export const alive = (pids: number[]): number[] => pids.filter(isAlive)

export async function isPortFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

/** A session of /mcp/sse over a connection of its own. */
export interface SseSession {
  readonly id: string
  readonly socket: Socket
  /** Everything that was received. */
  text(): string
}

export async function openSession(port: number): Promise<SseSession> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.on('data', (data: Buffer) => (text += data.toString()))
  socket.on('error', () => undefined)
  socket.write('GET /mcp/sse HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  for (;;) {
    const [, id] = /sessionId=(\S+)/.exec(text) ?? []
    if (id !== undefined) return { id, socket, text: () => text }
    if (socket.closed) throw new Error(`no session: ${text}`)
    await Promise.race([once(socket, 'data'), once(socket, 'close')])
  }
}
