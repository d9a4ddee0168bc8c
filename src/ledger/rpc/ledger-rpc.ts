import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { Agent, type Dispatcher } from 'undici'
import { LedgerRpcError, parseRetryAfter } from './rpc-error.ts'

export interface RpcCall {
  method: string
  params: unknown[]
}

/** Single calls of Solana's JSON-RPC 2.0. A failure is a LedgerRpcError. Its message has no URL. */
export interface LedgerCalls {
  call<T>(method: string, params?: unknown[]): Promise<T>
}

export interface LedgerRpc extends LedgerCalls {
  /** The results in the order of the calls; throws when any call fails. */
  batch<T>(calls: RpcCall[]): Promise<T[]>
  /** Like `batch`, but a call that the node refuses yields its error in its place. */
  settle<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]>
}

export interface LedgerRpcOptions {
  url: string
  /** For one HTTP exchange, body included. */
  timeoutMs?: number
  /** Calls in one HTTP request at most; longer batches are split. */
  maxBatch?: number
  /** Bytes of calls in one HTTP request at most: nodes refuse bodies of more than 50 KiB. */
  maxBatchBytes?: number
}

interface RpcReply {
  id?: number
  result?: unknown
  error?: { code?: number; message?: string; data?: unknown }
}

export function createLedgerRpc(options: LedgerRpcOptions): LedgerRpc {
  const { origin, path, headers } = splitUrl(options.url)
  const agent = new Agent({ allowH2: false })
  const limits = { calls: options.maxBatch ?? 100, bytes: options.maxBatchBytes ?? 45_000 }
  let nextId = 1

  async function exchange(body: unknown): Promise<unknown> {
    const signal = AbortSignal.timeout(options.timeoutMs ?? 15_000)
    try {
      const response = await agent.request({
        origin,
        path,
        method: 'POST',
        headers,
        body: JSON.stringify(body),
        signal,
      })
      const code = response.statusCode
      if (code < 200 || code > 299) {
        await response.body.dump()
        throw new LedgerRpcError('http', `the ledger node answered HTTP ${code}`, {
          code,
          retryAfterMs: parseRetryAfter(headerText(response.headers['retry-after'])),
        })
      }
      return await readJson(response)
    } catch (error) {
      throw asRpcError(error, signal)
    }
  }

  async function settleChunk<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const first = nextId
    nextId += calls.length
    const requests = calls.map((call, i) => ({ jsonrpc: '2.0', id: first + i, ...call }))
    const answer = await exchange(requests)
    // A node that refuses the whole batch answers with one error object.
    if (!Array.isArray(answer)) throw replyError(answer as RpcReply)
    const byId = new Map((answer as RpcReply[]).map((reply) => [reply.id, reply]))
    return calls.map((_, i) => {
      const reply = byId.get(first + i)
      return isSuccess(reply) ? (reply.result as T) : replyError(reply)
    })
  }

  async function settle<T>(calls: RpcCall[]): Promise<(T | LedgerRpcError)[]> {
    const results: (T | LedgerRpcError)[] = []
    for (const chunk of chunksOf(calls, limits)) results.push(...(await settleChunk<T>(chunk)))
    return results
  }

  return {
    settle,
    async call<T>(method: string, params: unknown[] = []) {
      const reply = (await exchange({ jsonrpc: '2.0', id: nextId++, method, params })) as RpcReply
      if (!isSuccess(reply)) throw replyError(reply)
      return reply.result as T
    },
    async batch<T>(calls: RpcCall[]) {
      const results = await settle<T>(calls)
      for (const result of results) if (result instanceof LedgerRpcError) throw result
      return results as T[]
    },
  }
}

const CALL_OVERHEAD_BYTES = 60

function chunksOf(calls: readonly RpcCall[], limits: { calls: number; bytes: number }): RpcCall[][] {
  const chunks: RpcCall[][] = []
  let bytes = Infinity
  for (const call of calls) {
    const size = JSON.stringify(call.params).length + call.method.length + CALL_OVERHEAD_BYTES
    const current = chunks.at(-1)
    if (current === undefined || current.length === limits.calls || bytes + size > limits.bytes) {
      chunks.push([call])
      bytes = size
    } else {
      current.push(call)
      bytes += size
    }
  }
  return chunks
}

function isSuccess(reply: RpcReply | null | undefined): reply is RpcReply {
  return reply !== null && reply !== undefined && 'result' in reply && reply.error === undefined
}

function replyError(reply: RpcReply | null | undefined): LedgerRpcError {
  const error = reply?.error
  if (error === undefined || error === null)
    return new LedgerRpcError('transport', 'the ledger node answered with neither a result nor an error')
  return new LedgerRpcError('rpc', error.message ?? 'the ledger node refused the call', {
    code: error.code,
    data: error.data,
  })
}

function asRpcError(error: unknown, signal: AbortSignal): LedgerRpcError {
  if (error instanceof LedgerRpcError) return error
  if (signal.aborted) return new LedgerRpcError('timeout', 'the ledger node did not answer in time')
  const detail = error instanceof SyntaxError ? 'answered with malformed JSON' : 'cannot be reached'
  return new LedgerRpcError('transport', `the ledger node ${detail}`)
}

const decompress = promisify(gunzip)

async function readJson({ headers, body }: Dispatcher.ResponseData): Promise<unknown> {
  if (headers['content-encoding'] !== 'gzip') return body.json()
  return JSON.parse((await decompress(await body.bytes())).toString())
}

function headerText(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value) ?? null
}

/** Some providers hand out URLs with credentials, which belong into a header. */
function splitUrl(text: string): { origin: string; path: string; headers: Record<string, string> } {
  const { origin, pathname, search, username, password } = new URL(text)
  const headers: Record<string, string> = { 'content-type': 'application/json', 'accept-encoding': 'gzip' }
  if (username !== '' || password !== '') {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
    headers.authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  return { origin, path: `${pathname}${search}`, headers }
}
