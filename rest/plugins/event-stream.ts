import { once, setMaxListeners } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sendRateLimit } from './rate-limits.ts'

const signals = new WeakMap<Socket, AbortSignal>()

/**
 * Aborted when the connection of a request is closed, also if that was before this call: then
 * its response emits no `close` any more.
 */
export function disconnected({ raw: { socket } }: Pick<FastifyRequest, 'raw'>): AbortSignal {
  const known = signals.get(socket)
  if (known !== undefined) return known
  const controller = new AbortController()
  // A WebSocket has one for each of its streams. Older versions of Node warn of more than ten.
  setMaxListeners(0, controller.signal)
  if (socket.destroyed) controller.abort()
  else socket.once('close', () => controller.abort())
  signals.set(socket, controller.signal)
  return controller.signal
}

/**
 * Takes the response from Fastify, with the headers that it has. Its request is no longer one in
 * flight.
 */
export function hijack(reply: FastifyReply): ServerResponse {
  sendRateLimit(reply)
  const { raw } = reply.hijack()
  reply.request.leaveFlight?.()
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) raw.setHeader(name, value)
  return raw
}

export function isEventStream(response: Response): boolean {
  return response.headers.get('content-type')?.startsWith('text/event-stream') === true
}

/** Sends the response at its reader's pace until the stream ends or the client disconnects. */
export async function sendEventStream(reply: FastifyReply, response: Response): Promise<void> {
  // nginx does not buffer the stream with this header.
  const headers = { ...Object.fromEntries(response.headers), 'x-accel-buffering': 'no' }
  const raw = hijack(reply.headers(headers))
  raw.statusCode = response.status
  // A disconnected client is not an error.
  await pump(response, raw, disconnected(reply.request)).catch(() => undefined)
  raw.end()
}

/**
 * Longer than it takes to find out by TCP probes that a client has vanished. A ping that is on its
 * way keeps the system from sending probes.
 */
const PING_MS = 30_000
/** The first byte of a comment, which is a ping. */
const COLON = 0x3a

async function pump({ body }: Response, raw: ServerResponse, signal: AbortSignal): Promise<void> {
  const reader = body!.getReader()
  let writtenAt = -Infinity
  try {
    while (!signal.aborted) {
      const { done, value } = await reader.read()
      if (done) return
      const now = performance.now()
      if (value[0] === COLON && now - writtenAt < PING_MS) continue
      writtenAt = now
      if (!raw.write(value)) await once(raw, 'drain', { signal })
    }
  } finally {
    void reader.cancel().catch(() => undefined)
  }
}
