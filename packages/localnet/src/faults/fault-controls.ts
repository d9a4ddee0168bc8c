import { parseTransaction, type Pubkey } from '@agent-registry/solana'
import type { Bank } from '../bank/bank.ts'
import { MAX_LAG } from '../bank/bank.ts'
import type { TransactionRecord } from '../bank/transaction-record.ts'
import type { LedgerStore } from '../store/ledger-store.ts'
import type { HiddenSignatures, HttpFault } from './fault-kinds.ts'

interface ArmedHttpFault extends HttpFault {
  remaining: number
}

/** Makes this ledger misbehave on purpose, for tests of its clients. Nothing here exists on a real cluster. */
export class FaultControls {
  /** Refuses new WebSocket connections with HTTP 503. */
  refuseSockets = false
  /** Swallows notifications while sockets stay open. */
  muteSockets = false
  readonly #bank: Bank
  readonly #store: LedgerStore
  readonly #socketDroppers = new Set<() => void>()
  #http: ArmedHttpFault[] = []
  #hidden: (HiddenSignatures & { endSlot: number })[] = []

  constructor(bank: Bank, store: LedgerStore) {
    this.#bank = bank
    this.#store = store
  }

  /** Ends every WebSocket connection without a closing handshake. */
  dropSockets(): void {
    for (const drop of this.#socketDroppers) drop()
  }

  onDropSockets(drop: () => void): void {
    this.#socketDroppers.add(drop)
  }

  /** Delays HTTP calls, or answers them with a status, until they were hit `count` times (default: until cleared). */
  http(fault: HttpFault): void {
    this.#http.push({ ...fault, remaining: fault.count ?? Infinity })
  }

  /** What to do to an HTTP request that calls these methods; counts as one hit. */
  takeHttp(methods: () => readonly string[]): HttpFault | null {
    if (this.#http.length === 0) return null
    const called = methods()
    const hit = this.#http.find((each) => each.methods?.some((name) => called.includes(name)) ?? true)
    if (hit === undefined) return null
    hit.remaining -= 1
    if (hit.remaining <= 0) this.#http = this.#http.filter((each) => each !== hit)
    return hit
  }

  /** Leaves transactions out of every answer about history, as a node that has not caught up does. */
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
   * Rolls back unfinalized slots: all of them, or the newest `slots`. With `reland` their transactions run again in
   * the next slot, in order; those that no longer can are gone.
   * @returns signatures that are no longer on the ledger
   */
  fork({ slots = Infinity, reland = false }: { slots?: number; reland?: boolean } = {}): string[] {
    const dropped = this.#bank.rollback(slots)
    const lost = reland ? dropped.filter((each) => !this.#landsAgain(each)) : dropped
    return lost.map((each) => each.signature)
  }

  /** Answers and notifications lag this many slots behind; at most 32. */
  lag(slots: number): void {
    this.#bank.lag = Math.min(slots, MAX_LAG)
  }

  /** Puts other data into an account, in the slot being made, which no program on this ledger would write. */
  overwrite(key: Pubkey, data: Uint8Array): void {
    const account = this.#bank.view('processed').account(key)
    if (account === null) throw new RangeError(`the ledger has no account ${key}`)
    this.#bank.overwrite(key, { ...account, data })
  }

  /** Ends every fault that lasts. */
  clear(): void {
    this.refuseSockets = false
    this.muteSockets = false
    this.#http = []
    this.#hidden = []
    this.#bank.lag = 0
  }

  #landsAgain(record: TransactionRecord): boolean {
    return 'record' in this.#bank.submit(parseTransaction(record.wire))
  }
}
