/** How long a connection may keep the service waiting, ms, and how many may be open. */
export interface ConnectionLimits {
  /** From the connection, or the first byte of a further request, to the end of its headers. */
  readonly headersMs: number
  /** From there to the end of its body as well. */
  readonly requestMs: number
  /** How often the two are looked at, and so how late they may count. */
  readonly checkMs: number
  /** From an answer to the next request of a connection. */
  readonly keepAliveMs: number
  /** Without a byte in either direction while an answer is made or read. */
  readonly stalledMs: number
  /** Of a process, streams and WebSockets among them; a further one is closed at once. */
  readonly maxConnections: number
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersMs: 15_000,
  requestMs: 30_000,
  checkMs: 5_000,
  // Longer than the 60 s of most proxies, so that it is the proxy that gives up a connection, and loses no request on it.
  keepAliveMs: 72_000,
  // Longer than any answer takes to be made, and than the pause between two pings of an event stream.
  stalledMs: 60_000,
  maxConnections: 10_000,
}
