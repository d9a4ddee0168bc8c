import type { IncomingMessage, ServerResponse } from 'node:http'
import { startReceiver } from '../receiver.ts'

interface Received {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
  readonly event: { id: string; type: string; data: Record<string, unknown> }
  readonly at: number
}

export type Responder = (received: Received, response: ServerResponse) => void

export const ok: Responder = (_, response) =>
  response.writeHead(200, { 'content-type': 'text/plain' }).end('ok')
export const status =
  (code: number, headers: Record<string, string> = {}): Responder =>
  (_, response) =>
    response.writeHead(code, headers).end()
/** Reads the request and sends no response. */
export const noResponse: Responder = () => undefined

const ALL = '*'

/** A real HTTP server with one receiver per path. */
export async function startReceiverFarm() {
  const responders = new Map<string, Responder>()
  const received: Received[] = []
  const open = new Map<string, number>()
  const peaks = new Map<string, number>()
  const opened = (path: string, by: number): void => {
    const now = (open.get(path) ?? 0) + by
    open.set(path, now)
    peaks.set(path, Math.max(peaks.get(path) ?? 0, now))
  }
  const receiver = await startReceiver({
    reply: ({ path, headers, body: bytes }, response) => {
      const body = String(bytes)
      const event = JSON.parse(body) as Received['event']
      const one = { path, headers, body, event, at: performance.now() }
      received.push(one)
      for (const key of [path, ALL]) {
        opened(key, 1)
        response.once('close', () => opened(key, -1))
      }
      const respond = responders.get(path) ?? ok
      respond(one, response)
    },
  })
  return {
    url: (path: string) => receiver.url(path),
    /** Sets the response of a path. The default is `ok`. */
    respond: (path: string, responder: Responder) => void responders.set(path, responder),
    received: received as readonly Received[],
    receivedAt: (path: string) => received.filter((one) => one.path === path),
    /** The maximum number of concurrent requests at a path, or at all paths together. */
    peak: (path = ALL) => peaks.get(path) ?? 0,
    clear: () => {
      received.length = 0
      responders.clear()
      peaks.clear()
    },
    close: receiver.close,
  }
}
