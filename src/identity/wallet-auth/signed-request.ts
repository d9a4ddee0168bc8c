/** What of a request its wallet signed, and the three headers that say so, as they came. */
export interface SignedRequest {
  /** Upper-case HTTP method. */
  readonly method: string
  /** The request's path as sent: without query, percent-encoding left as it is. */
  readonly path: string
  /** X-Wallet-Pubkey. */
  readonly pubkey: string | undefined
  /** X-Wallet-Signature. */
  readonly signature: string | undefined
  /** X-Wallet-Timestamp. */
  readonly timestamp: string | undefined
}

/** The text whose UTF-8 bytes a wallet signs (contract, "Authentication"). */
export function signedMessage(request: {
  readonly pubkey: string
  readonly timestamp: string
  readonly method: string
  readonly path: string
}): string {
  const { pubkey, timestamp, method, path } = request
  return `service-auth:${pubkey}:${timestamp}:${method}:${path}`
}
