import { parseTransaction, type Pubkey } from '@agent-registry/solana'
import { type Bank, MAX_LAG } from '../bank/bank.ts'
import type { LedgerStore } from '../store/ledger-store.ts'

interface HttpFault {
  /** Affects only requests that call one of these methods. The default is all requests. */
  readonly methods?: readonly string[] | undefined
  /** The number of affected requests. The default is no limit. */
  readonly count?: number | undefined
  /** The delay before the response, in milliseconds. */
  readonly delayMs?: number | undefined
  /** Responds with this HTTP status instead of JSON-RPC: 429 or 5xx. */
  readonly status?: number | undefined
  /** The header Retry-After, in seconds. */
  readonly retryAfter?: number | undefined
}

/** Without signatures and slots, all transactions are hidden. */
interface HiddenSignatures {
  readonly signatures?: readonly string[] | undefined
  readonly fromSlot?: number | undefined
  /** Inclusive. */
  readonly toSlot?: number | undefined
  /** The fault ends after this many slots. The default is no limit. */
  readonly forSlots?: number | undefined
}

/** Makes the ledger behave like a faulty node or network, for tests of its clients. */
export class FaultControls {
  /** Refuses new WebSocket connections with HTTP 503. */
  refuseSockets = false
  /** Sends no notifications while sockets stay open. */
  muteSockets = false
  readonly #bank: Bank
  readonly #store: LedgerStore
  readonly #socketDroppers = new Set<() => void>()
  #http: (HttpFault & { remaining: number })[] = []
  #hidden: (HiddenSignatures & { endSlot: number })[] = []

  constructor(bank: Bank, store: LedgerStore) {
    this.#bank = bank
    this.#store = store
  }

  /** Closes every WebSocket connection without a closing handshake. */
  dropSockets(): void {
    for (const drop of this.#socketDroppers) drop()
  }

  onDropSockets(drop: () => void): void {
    this.#socketDroppers.add(drop)
  }

  /** Delays HTTP requests or responds to them with a status. */
  http(fault: HttpFault): void {
    this.#http.push({ ...fault, remaining: fault.count ?? Infinity })
  }

  /** Returns the fault for a request that calls these methods, and counts the request. */
  takeHttp(methods: () => readonly string[]): HttpFault | null {
    if (this.#http.length === 0) return null
    const called = methods()
    const fault = this.#http.find((each) => each.methods?.some((name) => called.includes(name)) ?? true)
    if (fault === undefined) return null
    fault.remaining -= 1
    if (fault.remaining <= 0) this.#http = this.#http.filter((each) => each !== fault)
    return fault
  }

  /** Hides transactions in all responses about history, like a node that is behind. */
  hideSignatures(hidden: HiddenSignatures): void {
    this.#hidden.push({ ...hidden, endSlot: this.#bank.slot + (hidden.forSlots ?? Infinity) })
  }

  isHidden(signature: string, slot?: number): boolean {
    this.#hidden = this.#hidden.filter((each) => this.#bank.slot < each.endSlot)
    return this.#hidden.some(({ signatures, fromSlot, toSlot }) => {
      if (signatures?.includes(signature)) return true
      if (fromSlot === undefined && toSlot === undefined) return signatures === undefined
      const at = slot ?? this.#store.transactions.summary(signature)?.slot ?? this.#bank.slot
      return at >= (fromSlot ?? 0) && at <= (toSlot ?? Infinity)
    })
  }

  /**
   * Rolls back all unfinalized slots, or the newest `slots`. With `reland`, the transactions run
   * again in the next slot, in order, if they are still valid.
   * @returns the signatures that are no longer in the ledger
   */
  fork(options: { slots?: number | undefined; reland?: boolean } = {}): string[] {
    const dropped = this.#bank.rollback(options.slots ?? Infinity)
    const lost = dropped.filter(
      ({ wire }) => options.reland !== true || 'refused' in this.#bank.submit(parseTransaction(wire)),
    )
    return lost.map((each) => each.signature)
  }

  /** Makes responses and notifications this many slots old, at most 32. */
  lag(slots: number): void {
    this.#bank.lag = Math.min(slots, MAX_LAG)
  }

  /** Replaces the data of an account in the current slot, without a transaction. */
  overwrite(key: Pubkey, data: Uint8Array): void {
    const account = this.#bank.view('processed').account(key)
    if (account === null) throw new RangeError(`the ledger has no account ${key}`)
    this.#bank.overwrite(key, { ...account, data })
  }

  /** Ends all faults that are still active. */
  clear(): void {
    this.refuseSockets = false
    this.muteSockets = false
    this.#http = []
    this.#hidden = []
    this.#bank.lag = 0
  }
}
