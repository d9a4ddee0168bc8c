import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { Dispatcher, Pool } from 'undici'
import { HttpError, type HttpErrorCode } from './error-codes.ts'

/** Time limits of one request. Milliseconds. */
export interface RequestLimits {
  /** For DNS, connection and response together. 15,000 by default. */
  readonly totalMs?: number
  /** Between two chunks of the body. For the whole body of a POST. 2,000 by default. */
  readonly idleMs?: number
}

export const REQUEST_LIMITS = { totalMs: 15_000, idleMs: 2_000 }

/** Informational responses (1xx) before the response. */
const MAX_INTERIM = 5

export interface RawResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** As received. `get` decodes it. */
  readonly body: Buffer
  /** Only for POST: the receiver sent more, or did not end the body in time. */
  readonly truncated: boolean
}

export interface RawRequest extends Required<RequestLimits> {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  /** Limit of the response body. The first bytes of a larger one are kept only for a POST. */
  readonly maxBytes: number
  readonly signal?: AbortSignal
  /** Called before the request is written to its socket. */
  readonly onStart: () => void
}

/** undici's `request` takes a fifth more processor time: it makes a stream for the body. */
export function sendRequest(pool: Pool, request: RawRequest): Promise<RawResponse> {
  const { method, path, headers, body, totalMs, idleMs } = request
  const exchange = new Exchange(request)
  // undici opens a spare connection after an abort, but not after its own timeout: that is first.
  const headersTimeout = Math.max(1, Math.floor(totalMs * 0.93))
  // `Exchange` limits the time of a POST's body.
  const bodyTimeout = method === 'POST' ? 0 : idleMs
  pool.dispatch({ method, path, headers, body, headersTimeout, bodyTimeout }, exchange)
  return exchange.promise
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #request: RawRequest
  readonly #result = Promise.withResolvers<RawResponse>()
  readonly promise = this.#result.promise
  readonly #chunks: Buffer[] = []
  readonly #deadline: number
  readonly #onAbort = (): void => this.#abort('aborted')
  #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #response: Pick<RawResponse, 'status' | 'headers'> | undefined
  #interim = 0
  #size = 0
  #abortedBy: HttpError | undefined

  constructor(request: RawRequest) {
    this.#request = request
    this.#deadline = performance.now() + request.totalMs
    this.#timer = setTimeout(() => this.#abort('timeout'), request.totalMs)
    request.signal?.addEventListener('abort', this.#onAbort, { once: true })
    if (request.signal?.aborted === true) this.#onAbort()
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    // It ended while it waited for a connection.
    if (this.#abortedBy !== undefined) controller.abort(this.#abortedBy)
    else this.#request.onStart()
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) {
      this.#interim += 1
      if (this.#interim > MAX_INTERIM) this.#abort('protocol_error')
      return
    }
    this.#response = { status, headers }
    const { method, idleMs, maxBytes } = this.#request
    if (method === 'GET') {
      if (Number(headers['content-length']) > maxBytes) this.#abort('too_large')
      return
    }
    clearTimeout(this.#timer)
    const bodyMs = Math.min(idleMs, this.#deadline - performance.now())
    this.#timer = setTimeout(() => this.#abort('timeout'), bodyMs)
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size > this.#request.maxBytes) this.#abort('too_large')
  }

  onResponseEnd(): void {
    this.#end(undefined)
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end(error)
  }

  #abort(code: HttpErrorCode): void {
    this.#abortedBy = new HttpError(code)
    this.#end(this.#abortedBy)
    this.#controller?.abort(this.#abortedBy)
  }

  /** The response to a POST counts once it has begun, even if it does not end. */
  #end(error: Error | undefined): void {
    const { method, maxBytes, signal } = this.#request
    clearTimeout(this.#timer)
    signal?.removeEventListener('abort', this.#onAbort)
    if (this.#response === undefined || (error !== undefined && method === 'GET')) {
      this.#result.reject(error)
    } else {
      const body = Buffer.concat(this.#chunks).subarray(0, maxBytes)
      this.#result.resolve({ ...this.#response, body, truncated: error !== undefined })
    }
  }
}

const DECODERS: Readonly<
  Record<string, (bytes: Buffer, limits: { maxOutputLength: number }) => Promise<Buffer>>
> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** Some hosts compress even if not asked to. Throws HttpError too_large and bad_encoding. */
export async function decodeBody(bytes: Buffer, encoding: unknown, maxBytes: number): Promise<Buffer> {
  const name = typeof encoding === 'string' ? encoding.trim().toLowerCase() : encoding
  if (name === undefined || name === '' || name === 'identity') return bytes
  const decode = typeof name === 'string' && Object.hasOwn(DECODERS, name) ? DECODERS[name] : undefined
  if (decode === undefined) throw new HttpError('bad_encoding')
  return decode(bytes, { maxOutputLength: maxBytes }).catch((cause: NodeJS.ErrnoException) => {
    throw new HttpError(cause.code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'bad_encoding', { cause })
  })
}
