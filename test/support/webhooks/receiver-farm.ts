import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request as it came over the wire. */
export interface Received {
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
/** Takes the request and never answers. */
export const noResponse: Responder = () => undefined

const ALL = '*'

/** Real HTTP receivers behind one port: one for each path. */
export interface ReceiverFarm {
  url(path: string): string
  /** What a path answers from now on; `ok` at first. */
  respond(path: string, answer: Responder): void
  readonly received: readonly Received[]
  receivedAt(path: string): Received[]
  /** The most requests that a path, or all together, had open at once. */
  peak(path?: string): number
  /** Forgets requests and answers. */
  clear(): void
  close(): Promise<void>
}

export async function startReceiverFarm(): Promise<ReceiverFarm> {
  const answers = new Map<string, Responder>()
  const received: Received[] = []
  const open = new Map<string, number>()
  const peaks = new Map<string, number>()
  const opened = (path: string, by: number): void => {
    const now = (open.get(path) ?? 0) + by
    open.set(path, now)
    peaks.set(path, Math.max(peaks.get(path) ?? 0, now))
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const path = request.url ?? ''
      const event = JSON.parse(body) as Received['event']
      const one = { path, headers: request.headers, body, event, at: performance.now() }
      received.push(one)
      for (const key of [path, ALL]) {
        opened(key, 1)
        response.once('close', () => opened(key, -1))
      }
      const answer = answers.get(path) ?? ok
      answer(one, response)
    })
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    respond: (path, answer) => void answers.set(path, answer),
    received,
    receivedAt: (path) => received.filter((one) => one.path === path),
    peak: (path = ALL) => peaks.get(path) ?? 0,
    clear: () => {
      received.length = 0
      answers.clear()
      peaks.clear()
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
