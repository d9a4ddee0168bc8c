import { constants } from 'node:buffer'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { Dispatcher } from 'undici'
import { OperatorError } from '../../platform/process/operator-error.ts'

type LedgerRpcErrorKind = 'timeout' | 'transport' | 'http' | 'rpc'

interface ErrorDetails {
  /** The HTTP status for `http`, the JSON-RPC error code for `rpc`. */
  code?: number | undefined
  /** How long the node asks to wait. */
  retryAfterMs?: number | undefined
  /** The JSON-RPC error's data, such as the logs of a failed simulation. */
  data?: unknown
}

/** The transaction, or one of the block, is newer than `maxSupportedTransactionVersion`. */
export const VERSION_NOT_SUPPORTED = -32_015

const URL_LIKE = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi
/** Some providers report their limit as an error in the body instead of as an HTTP status. */
const RATE_LIMITS = new Set([429, -32429])
/** Block or node not yet there: -32004, -32005, -32014, -32016. Internal error: -32603. */
const TRANSIENT_CODES = new Set([-32004, -32005, -32014, -32016, -32603, ...RATE_LIMITS])

/**
 * A failed request to a ledger node. URLs are removed from the message: they may contain API keys.
 */
export class LedgerRpcError extends OperatorError {
  override readonly name: string = 'LedgerRpcError'
  readonly kind: LedgerRpcErrorKind
  readonly code: number | undefined
  readonly retryAfterMs: number | undefined
  readonly data: unknown

  constructor(kind: LedgerRpcErrorKind, message: string, details: ErrorDetails = {}) {
    super(message.replace(URL_LIKE, '[url]'))
    this.kind = kind
    this.code = details.code
    this.retryAfterMs = details.retryAfterMs
    this.data = details.data
  }

  get isRateLimit(): boolean {
    return RATE_LIMITS.has(this.code ?? 0)
  }

  /** Whether the same call may succeed later: the node was unreachable, overloaded, or behind. */
  get isTransient(): boolean {
    if (this.kind === 'http') return this.code === 429 || this.code === 408 || (this.code ?? 0) >= 500
    if (this.kind === 'rpc') return TRANSIENT_CODES.has(this.code ?? 0)
    return true
  }
}

/** One node lacks the data and another node, which may have it, did not respond. */
export class UncertainResultError extends LedgerRpcError {
  constructor(message: string, retryAfterMs?: number) {
    super('transport', message, { retryAfterMs })
  }
}

/**
 * A Retry-After header in milliseconds: seconds or an HTTP date. Undefined if absent or malformed.
 */
export function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** The response has more bytes than the caller accepts, compressed or not. */
export class ResponseTooLargeError extends Error {}

const decompress = promisify(gunzip)

/** Reads and decompresses a JSON body. Throws ResponseTooLargeError, SyntaxError. */
export async function readJson(
  { headers, body }: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<unknown> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > maxBytes) throw new ResponseTooLargeError()
    chunks.push(chunk)
  }
  const bytes = Buffer.concat(chunks)
  if (headers['content-encoding'] !== 'gzip') return JSON.parse(bytes.toString())
  const maxOutputLength = Math.min(maxBytes, constants.MAX_LENGTH)
  const text = await decompress(bytes, { maxOutputLength }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? new ResponseTooLargeError() : error
  })
  return JSON.parse(text.toString())
}
