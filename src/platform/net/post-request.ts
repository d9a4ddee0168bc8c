import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher, Pool } from 'undici'
import { HttpError } from './error-codes.ts'
import { headersLimit, type RequestLimits } from './send-request.ts'

export interface PostedResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** The first bytes, not decoded. */
  readonly body: Buffer
  /** True if the receiver sent more, or did not end the body in time. */
  readonly truncated: boolean
}

export interface PostOptions extends Required<RequestLimits> {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array
  /** Bytes of the response body that are kept. */
  readonly maxBytes: number
}

/**
 * Sends one POST request to a checked URL. undici's `request` makes a stream for the response body,
 * which takes a fifth more processor time for each delivery.
 */
export function postRequest(pool: Pool, options: PostOptions): Promise<PostedResponse> {
  const { path, headers, body, totalMs } = options
  const capture = new Capture(options)
  const headersTimeout = headersLimit(totalMs)
  // `Capture` limits the time of the body.
  const request = { method: 'POST', path, headers, body, headersTimeout, bodyTimeout: 0 } as const
  pool.dispatch(request, capture)
  return capture.promise
}

class Capture implements Dispatcher.DispatchHandler {
  readonly #options: PostOptions
  readonly #result = Promise.withResolvers<PostedResponse>()
  readonly #chunks: Buffer[] = []
  #timer: NodeJS.Timeout
  #deadline: number
  #controller: Dispatcher.DispatchController | undefined
  #response: Pick<PostedResponse, 'status' | 'headers'> | undefined
  #size = 0
  #abortedBy: HttpError | undefined

  constructor(options: PostOptions) {
    this.#options = options
    this.#deadline = performance.now() + options.totalMs
    this.#timer = setTimeout(() => this.#abort('timeout'), options.totalMs)
  }

  get promise(): Promise<PostedResponse> {
    return this.#result.promise
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It ended while it waited for a connection.
    if (this.#abortedBy !== undefined) controller.abort(this.#abortedBy)
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    this.#response = { status, headers }
    clearTimeout(this.#timer)
    const bodyMs = Math.min(this.#options.idleMs, this.#deadline - performance.now())
    this.#timer = setTimeout(() => this.#abort('timeout'), bodyMs)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size > this.#options.maxBytes) this.#abort('too_large')
  }

  onResponseEnd(): void {
    this.#end(undefined)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error)
  }

  #abort(code: 'timeout' | 'too_large'): void {
    this.#abortedBy = new HttpError(code)
    this.#end(this.#abortedBy)
    this.#controller?.abort(this.#abortedBy)
  }

  /** A response that has begun counts, even if it does not end. */
  #end(error: Error | undefined): void {
    clearTimeout(this.#timer)
    if (this.#response === undefined) this.#result.reject(error)
    else {
      const body = Buffer.concat(this.#chunks).subarray(0, this.#options.maxBytes)
      this.#result.resolve({ ...this.#response, body, truncated: error !== undefined })
    }
  }
}
