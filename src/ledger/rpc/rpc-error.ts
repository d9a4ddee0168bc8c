export type LedgerRpcErrorKind = 'timeout' | 'transport' | 'http' | 'rpc'

const URL_LIKE = /\b[a-z][a-z0-9+.-]*:\/\/\S+/gi

/** A failed exchange with the ledger node. The message never holds a URL: endpoints carry API keys. */
export class LedgerRpcError extends Error {
  override readonly name = 'LedgerRpcError'
  readonly kind: LedgerRpcErrorKind
  /** The HTTP status for `http`, the JSON-RPC error code for `rpc`. */
  readonly code: number | undefined
  /** How long the node asks to wait. */
  readonly retryAfterMs: number | undefined
  /** The JSON-RPC error's data, such as the logs of a failed simulation. */
  readonly data: unknown

  constructor(
    kind: LedgerRpcErrorKind,
    message: string,
    details: { code?: number | undefined; retryAfterMs?: number | undefined; data?: unknown } = {},
  ) {
    super(message.replace(URL_LIKE, '[url]'))
    this.kind = kind
    this.code = details.code
    this.retryAfterMs = details.retryAfterMs
    this.data = details.data
  }

  /** The node limits calls: by HTTP, or in the answer itself, as some providers do. */
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

/** Not all nodes could be asked for what one of them does not know, so that nothing follows from its answer. */
export class UncertainResultError extends LedgerRpcError {
  constructor(message: string, retryAfterMs?: number) {
    super('transport', message, { retryAfterMs })
  }
}

const RATE_LIMITS = new Set([429, -32429])

/** Block or node not yet there: -32004, -32005, -32014, -32016; internal error -32603. */
const TRANSIENT_CODES = new Set([-32004, -32005, -32014, -32016, -32603, ...RATE_LIMITS])

/** A Retry-After header: seconds or an HTTP date. Undefined when absent or malformed. */
export function parseRetryAfter(value: string | null, now = Date.now()): number | undefined {
  if (value === null) return undefined
  if (/^\d+$/.test(value.trim())) return Number(value) * 1000
  const date = Date.parse(value)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
