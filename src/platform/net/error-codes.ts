/**
 * Why a request failed. `connect_error`: no connection. `reset`: the connection ended before the
 * response did. `ssrf_blocked`: the URL or its address is not allowed. `bad_redirect`: too many
 * redirects, or one that cannot be followed. `aborted`: by the caller or at shutdown.
 */
export type HttpErrorCode =
  | 'timeout'
  | 'dns_error'
  | 'connect_error'
  | 'tls_error'
  | 'reset'
  | 'ssrf_blocked'
  | 'header_overflow'
  | 'too_large'
  | 'bad_encoding'
  | 'bad_redirect'
  | 'protocol_error'
  | 'aborted'

export class HttpError extends Error {
  override readonly name = 'HttpError'
  readonly httpErrorCode: HttpErrorCode

  constructor(httpErrorCode: HttpErrorCode, options?: ErrorOptions) {
    super(httpErrorCode, options)
    this.httpErrorCode = httpErrorCode
  }
}

/** Error codes of undici, Node and OpenSSL. */
const BY_CODE: readonly (readonly [RegExp, HttpErrorCode])[] = [
  [/^(UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT|ETIMEDOUT)$/, 'timeout'],
  [/^(UND_ERR_HEADERS_OVERFLOW|HPE_HEADER_OVERFLOW)$/, 'header_overflow'],
  [/^(ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERROR_IN_)/, 'tls_error'],
  [/^(INVALID_CA|INVALID_PURPOSE|PATH_LENGTH_EXCEEDED|HOSTNAME_MISMATCH|EPROTO)$/, 'tls_error'],
  [/^(UND_ERR_SOCKET|ECONNRESET|EPIPE|ECONNABORTED)$/, 'reset'],
  [/^(UND_ERR_ABORTED|UND_ERR_DESTROYED|UND_ERR_CLOSED)$/, 'aborted'],
  [/^E[A-Z]+$/, 'connect_error'],
]

/** Throws the error again if it is a bug of the caller, such as an invalid header. */
export function errorCodeOf(error: unknown): HttpErrorCode {
  if (error instanceof HttpError) return error.httpErrorCode
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException
  if (code === 'UND_ERR_INVALID_ARG') throw error
  if (syscall === 'connect' && code !== 'ETIMEDOUT') return 'connect_error'
  return BY_CODE.find(([pattern]) => typeof code === 'string' && pattern.test(code))?.[1] ?? 'protocol_error'
}
