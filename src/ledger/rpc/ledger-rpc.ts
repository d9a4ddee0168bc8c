import { setTimeout as delay } from 'node:timers/promises'
import { Agent } from 'undici'
import { LedgerRpcError, parseRetryAfter, readJson, ResponseTooLargeError } from './rpc-error.ts'
import { abortable } from '../../platform/async/promises.ts'

export interface RpcCall {
  method: string
  params: unknown[]
}

/** Single calls of Solana's JSON-RPC 2.0. A failure is a LedgerRpcError. Its message has no URL. */
export interface LedgerCalls {
  call<T>(method: string, params?: unknown[]): Promise<T>
}

export interface LedgerRpc extends LedgerCalls {
  /** The results in the order of the calls. Throws if any call fails. */
  batch<T>(calls: RpcCall[]): Promise<T[]>
  /** Like `batch`, but the result of a call that the node refuses is its error. */
  settle<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]>
}

export interface LedgerRpcOptions {
  url: string
  /** For one HTTP request and its response. */
  timeoutMs?: number
  /** Sent in addition to the usual headers. */
  headers?: Readonly<Record<string, string>>
}

interface RpcResponse {
  id?: number
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}

export function createLedgerRpc(options: LedgerRpcOptions): LedgerRpc {
  const post = createPost(options)
  let nextId = 1

  async function settleChunk<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const firstId = nextId
    nextId += calls.length
    const requests = calls.map((call, i) => ({ jsonrpc: '2.0', id: firstId + i, ...call }))
    const body = await post(requests, calls.length > 1 ? MAX_BATCH_RESPONSE_BYTES : Infinity)
    // A node that refuses the whole batch responds with one error object.
    if (!Array.isArray(body)) throw responseError(body as RpcResponse)
    const byId = new Map((body as RpcResponse[]).map((response) => [response.id, response]))
    return calls.map((_, i) => {
      const response = byId.get(firstId + i)
      return isSuccess(response) ? (response.result as T) : responseError(response)
    })
  }

  async function settle<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const results: (T | LedgerRpcError)[] = []
    for (const chunk of splitBatch(calls)) results.push(...(await settleSmaller<T>(chunk)))
    return results
  }

  /** Sends the halves if the response is too large. A single call may have any response. */
  async function settleSmaller<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    try {
      return await settleChunk<T>(calls)
    } catch (error) {
      if (!(error instanceof ResponseTooLargeError)) throw error
      const half = Math.ceil(calls.length / 2)
      const first = await settleSmaller<T>(calls.slice(0, half))
      return [...first, ...(await settleSmaller<T>(calls.slice(half)))]
    }
  }

  return {
    settle,
    batch: async <T>(calls: RpcCall[]) => throwFirstError(await settle<T>(calls)),
    async call<T>(method: string, params: unknown[] = []) {
      const response = (await post({ jsonrpc: '2.0', id: nextId++, method, params })) as RpcResponse
      if (!isSuccess(response)) throw responseError(response)
      return response.result as T
    },
  }
}

/**
 * Sends one HTTP request, and returns the JSON of its response. Throws LedgerRpcError, and
 * ResponseTooLargeError for more than `maxBytes`.
 */
function createPost({ url, timeoutMs = 15_000, headers: others }: LedgerRpcOptions) {
  const { origin, path, headers: usual } = splitUrl(url)
  const headers = { ...usual, ...others }
  const agent = new Agent({ allowH2: false })
  return async (body: unknown, maxBytes = Infinity): Promise<unknown> => {
    const signal = AbortSignal.timeout(timeoutMs)
    const request = { origin, path, method: 'POST', headers, body: JSON.stringify(body), signal } as const
    try {
      const response = await agent.request(request)
      const code = response.statusCode
      if (code < 200 || code > 299) {
        await response.body.dump()
        const retryAfter = response.headers['retry-after']
        throw new LedgerRpcError('http', `the ledger node responded with HTTP ${code}`, {
          code,
          retryAfterMs: parseRetryAfter([retryAfter].flat()[0] ?? null),
        })
      }
      return await readJson(response, maxBytes)
    } catch (error) {
      if (error instanceof ResponseTooLargeError) throw error
      throw toRpcError(error, signal)
    }
  }
}

/** Turns the results of `settle` into those of `batch`. */
export function throwFirstError<T>(results: (T | LedgerRpcError)[]): T[] {
  for (const result of results) if (result instanceof LedgerRpcError) throw result
  return results as T[]
}

/** Longer batches are split. Nodes refuse bodies of more than 50 KiB. */
const MAX_BATCH_CALLS = 100
const MAX_BATCH_BYTES = 45_000
const CALL_OVERHEAD_BYTES = 60

function splitBatch(calls: readonly RpcCall[]): RpcCall[][] {
  const chunks: RpcCall[][] = []
  let bytes = Infinity
  for (const call of calls) {
    const size = JSON.stringify(call.params).length + call.method.length + CALL_OVERHEAD_BYTES
    const current = chunks.at(-1)
    if (current === undefined || current.length === MAX_BATCH_CALLS || bytes + size > MAX_BATCH_BYTES) {
      chunks.push([call])
      bytes = size
    } else {
      current.push(call)
      bytes += size
    }
  }
  return chunks
}

function isSuccess(response: RpcResponse | null | undefined): response is RpcResponse {
  return response !== null && response !== undefined && 'result' in response && response.error === undefined
}

function responseError(response: RpcResponse | null | undefined): LedgerRpcError {
  const error = response?.error
  if (error === undefined || error === null)
    return new LedgerRpcError('transport', 'the ledger node responded with neither a result nor an error')
  return new LedgerRpcError('rpc', error.message ?? 'the ledger node refused the call', {
    code: error.code,
    data: error.data,
  })
}

function toRpcError(error: unknown, signal: AbortSignal): LedgerRpcError {
  if (error instanceof LedgerRpcError) return error
  if (signal.aborted) return new LedgerRpcError('timeout', 'the ledger node did not respond in time')
  const problem = error instanceof SyntaxError ? 'responded with malformed JSON' : 'cannot be reached'
  return new LedgerRpcError('transport', `the ledger node ${problem}`)
}

/**
 * Several batches are in memory at once. Anyone can send transactions of 64 inner instructions with
 * 10 KiB each: a hundred of them have 90 MB.
 */
const MAX_BATCH_RESPONSE_BYTES = 16_000_000

/** Credentials in the URL become an Authorization header. */
function splitUrl(text: string): { origin: string; path: string; headers: Record<string, string> } {
  const { origin, pathname, search, username, password } = new URL(text)
  const headers: Record<string, string> = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
  if (username !== '' || password !== '') {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  return { origin, path: `${pathname}${search}`, headers }
}

export interface RetryOptions {
  signal: AbortSignal
  /**
   * The first wait. It doubles up to five seconds. A longer Retry-After of the node is honoured.
   */
  minDelayMs?: number
  /** The error of the last attempt is thrown. */
  maxAttempts?: number
  onRetry?: (error: LedgerRpcError, waitMs: number) => void
}

const MAX_DELAY_MS = 5_000

/**
 * Retries transient failures with exponential backoff. Aborting the signal ends every call at once.
 * After a timeout, an HTTP error or three refusals by a rate limit, parts of a batch are halved.
 */
export function retryingRpc(rpc: LedgerRpc, options: RetryOptions): LedgerRpc {
  const { signal, minDelayMs = 50, maxAttempts = Infinity, onRetry } = options

  async function retry<T>(work: () => Promise<T>): Promise<T> {
    let backoffMs = minDelayMs
    for (let attempt = 1; ; attempt += 1) {
      signal.throwIfAborted()
      try {
        return await abortable(work(), signal)
      } catch (error) {
        if (!(error instanceof LedgerRpcError) || !error.isTransient || attempt >= maxAttempts) throw error
        const waitMs = Math.max(backoffMs, error.retryAfterMs ?? 0)
        onRetry?.(error, waitMs)
        await delay(waitMs, undefined, { signal })
        backoffMs = Math.min(backoffMs * 2, MAX_DELAY_MS)
      }
    }
  }

  async function settleAll<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const results = await rpc.settle<T>(calls)
    for (const result of results) if (result instanceof LedgerRpcError && result.isTransient) throw result
    return results
  }

  return {
    call: (method, params) => retry(() => rpc.call(method, params)),
    batch: <T>(calls: RpcCall[]) => retry(inShrinkingParts<T>(calls, (part) => rpc.batch<T>(part))),
    settle: <T>(calls: RpcCall[]) => retry(inShrinkingParts(calls, (part) => settleAll<T>(part))),
  }
}

/** After so many refusals by a rate limit, the parts are halved. */
const LIMITED_TIMES = 3

/**
 * The response may be too large to arrive in time: a transaction has up to 64 inner instructions,
 * each with up to 10 KiB of data. Each attempt after such a failure halves the parts. A rate limit
 * that ends by itself needs no smaller parts, but a node can allow fewer calls at once than a part
 * has. An attempt goes on where the last one failed: all parts together can be above the limit.
 */
function inShrinkingParts<R>(calls: RpcCall[], send: (part: RpcCall[]) => Promise<R[]>): () => Promise<R[]> {
  let size = Math.max(1, calls.length)
  let limited = 0
  const results: R[] = []
  return async () => {
    try {
      while (results.length < calls.length)
        results.push(...(await send(calls.slice(results.length, results.length + size))))
      return results
    } catch (error) {
      const { kind, isRateLimit = false } = error as Partial<LedgerRpcError>
      if (isRateLimit) limited += 1
      const isTooLong = isRateLimit ? limited % LIMITED_TIMES === 0 : kind === 'timeout' || kind === 'http'
      if (isTooLong) size = Math.ceil(size / 2)
      throw error
    }
  }
}

/** A client that may also call localnet_*: they need a header that web pages cannot send. */
export function createLocalnetRpc(url: string): LedgerRpc {
  return createLedgerRpc({ url, headers: { 'x-localnet-control': '1' } })
}
