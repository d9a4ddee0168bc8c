import type { Clock } from '../../platform/clock.ts'
import type { LedgerRpc } from '../rpc/ledger-rpc.ts'
import type { LedgerRpcError } from '../rpc/rpc-error.ts'

const MIN_PAUSE_MS = 500
const MAX_PAUSE_MS = 60_000
/** For a node that is behind, or that limits calls without a Retry-After. */
const SHORT_PAUSE_MS = 2_000
const NODE_BEHIND = -32005
/** Results no longer depend on a node that has failed this often and for this long. */
const GIVEN_UP_FAILURES = 8
const GIVEN_UP_MS = 600_000

/** One of several nodes: which ledger it is on, and whether it is paused after failures. */
export class LedgerNode {
  readonly rpc: LedgerRpc
  /** Its position in SOLANA_RPC_URL from 1. Logs use it because the URL may contain a key. */
  readonly number: number
  /** Compared by genesis hash. Unknown before the first request, and again after a disconnect. */
  ledger: 'unknown' | 'expected' | 'other' = 'unknown'
  genesisHash: string | undefined
  pausedUntil = 0
  /** The node asked for the pause, with a rate limit or a Retry-After. */
  askedForPause = false
  readonly #clock: Clock
  /** Failures in a row. */
  #failures = 0
  #failingSince = 0

  constructor(rpc: LedgerRpc, number: number, clock: Clock) {
    this.rpc = rpc
    this.number = number
    this.#clock = clock
  }

  get isPaused(): boolean {
    return this.pausedUntil > this.#clock.now()
  }

  get isGivenUp(): boolean {
    return this.#failures >= GIVEN_UP_FAILURES && this.#clock.now() - this.#failingSince >= GIVEN_UP_MS
  }

  recordSuccess(): void {
    this.#failures = 0
    this.askedForPause = false
  }

  /** Pauses a node that lags far behind another one. */
  pauseShortly(): void {
    this.pausedUntil = this.#clock.now() + SHORT_PAUSE_MS
  }

  /** Pauses the node. False if another node would respond with the same error: no pause then. */
  recordFailure(error: LedgerRpcError): boolean {
    const asksForPause = error.isRateLimit || error.retryAfterMs !== undefined
    if (error.kind === 'rpc' && !asksForPause) {
      const isBehind = error.code === NODE_BEHIND
      if (isBehind) this.pauseShortly()
      return isBehind
    }
    const now = this.#clock.now()
    if (this.#failures === 0) this.#failingSince = now
    this.#failures += 1
    this.askedForPause = asksForPause
    if (asksForPause) {
      this.pausedUntil = now + (error.retryAfterMs ?? SHORT_PAUSE_MS)
      return true
    }
    // A different node may respond at this URL later.
    if (this.ledger === 'expected') this.ledger = 'unknown'
    this.pausedUntil = now + Math.min(MIN_PAUSE_MS * 2 ** (this.#failures - 1), MAX_PAUSE_MS)
    return true
  }
}
