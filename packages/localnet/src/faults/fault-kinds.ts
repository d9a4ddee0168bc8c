export interface HttpFault {
  /** Only requests that call one of these; all of them by default. */
  readonly methods?: readonly string[] | undefined
  /** How many requests are hit. */
  readonly count?: number | undefined
  /** Milliseconds before the answer. */
  readonly delayMs?: number | undefined
  /** Answers with this HTTP status and no JSON-RPC: 429 or 5xx. */
  readonly status?: number | undefined
  /** Seconds, for the Retry-After header. */
  readonly retryAfter?: number | undefined
}

/** With neither signatures nor slots, everything is hidden. */
export interface HiddenSignatures {
  readonly signatures?: readonly string[] | undefined
  readonly fromSlot?: number | undefined
  /** Inclusive. */
  readonly toSlot?: number | undefined
  /** Ends after this many slots; by default when cleared. */
  readonly forSlots?: number | undefined
}
