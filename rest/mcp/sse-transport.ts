import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { type JSONRPCMessage, parseJSONRPCMessage, type Transport } from '@modelcontextprotocol/server'

/**
 * The HTTP+SSE transport of protocol 2024-11-05: the server sends messages on the stream, the
 * client posts them to the path that the first event names. It lives as long as the stream.
 */
export class SseTransport implements Transport {
  readonly sessionId = randomUUID()
  readonly #path: string
  readonly #stream: ServerResponse
  onclose?: () => void
  onmessage?: (message: JSONRPCMessage) => void

  constructor(path: string, stream: ServerResponse) {
    this.#path = path
    this.#stream = stream
  }

  async start(): Promise<void> {
    this.#stream.once('close', () => this.onclose?.())
    this.#stream.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      // Without the Keep-Alive header that Node adds otherwise. undici opens a new connection when
      // a stream is aborted, and would keep it open for the time of that header.
      connection: 'keep-alive',
    })
    this.#write('endpoint', `${this.#path}?sessionId=${this.sessionId}`)
  }

  /** Passes a posted message to the server. Throws if it is not a JSON-RPC message. */
  receive(message: unknown): void {
    this.onmessage?.(parseJSONRPCMessage(message))
  }

  async send(message: JSONRPCMessage): Promise<void> {
    this.#write('message', JSON.stringify(message))
  }

  async close(): Promise<void> {
    this.#stream.end()
  }

  #write(event: string, data: string): void {
    // A tool may finish after its client has disconnected.
    if (this.#stream.writableEnded || this.#stream.destroyed) return
    this.#stream.write(`event: ${event}\ndata: ${data}\n\n`)
  }
}
