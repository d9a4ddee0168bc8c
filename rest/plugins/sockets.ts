import type { Socket } from 'node:net'
import type { RestApp } from '../rest-app.ts'

export interface SocketTimes {
  /** From an upgrade request to its response. */
  readonly upgradeMs: number
  /** From the begin of the stop to the end of all connections. */
  readonly closeMs: number
}

/**
 * Owns the connections of the server. It closes those that Node does not: of refused upgrades, and
 * of clients that keep theirs open while the service stops. Returns all that are open.
 */
export function ownSockets(app: RestApp, { upgradeMs, closeMs }: SocketTimes): Set<Socket> {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  closeRefusedUpgrades(app, upgradeMs)
  closeAfterResponse(app)
  app.addHook('preClose', async () => {
    setTimeout(() => open.forEach((socket) => socket.destroy()), closeMs).unref()
  })
  return open
}

/** Node gives up a socket with an upgrade: it no longer reads from it, nor closes it. */
function closeRefusedUpgrades(app: RestApp, upgradeMs: number): void {
  const upgrading = new WeakSet<Socket>()
  app.server.prependListener('upgrade', (_request, socket: Socket) => {
    upgrading.add(socket)
    // An accepted WebSocket resets it, and is pinged.
    socket.setTimeout(upgradeMs, () => socket.destroy())
  })
  app.addHook('onResponse', ({ raw: { socket } }, _reply, done) => {
    if (upgrading.has(socket)) socket.destroy()
    done()
  })
}

/** Closes a connection after the response to an upgrade, and after any while the service stops. */
function closeAfterResponse(app: RestApp): void {
  let closing = false
  app.addHook('preClose', async () => {
    closing = true
  })
  app.addHook('onSend', ({ headers }, reply, _payload, done) => {
    if (closing || headers.upgrade !== undefined) reply.header('connection', 'close')
    done()
  })
}
