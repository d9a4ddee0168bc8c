import type { Socket } from 'node:net'
import type { RestApp } from '../rest-app.ts'

/** Of a connection. Node reads a whole chunk, more than a thousand requests, before it looks at what waits to be sent. */
const MAX_UNANSWERED = 32

/** Cuts a connection that asks and does not read: each answer is held until those before it have been taken. */
export function limitPipelining(app: RestApp): void {
  const unanswered = new WeakMap<Socket, number>()
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw
    const before = unanswered.get(socket) ?? 0
    if (socket.destroyed || before >= MAX_UNANSWERED) {
      socket.destroy()
      reply.hijack()
      return
    }
    unanswered.set(socket, before + 1)
    reply.raw.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1))
    done()
  })
}
