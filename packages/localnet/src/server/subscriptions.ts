import type { Logger } from '../logger.ts'
import type { Bank } from '../bank/bank.ts'
import type { BankListener } from '../bank/events.ts'
import { RpcError } from '../rpc/rpc-error.ts'

/** Of all connections together. */
const MAX_SUBSCRIPTIONS = 10_000

export type Send = (message: unknown) => void
export type Notify = (result: unknown) => void

/** One connection's subscriptions. */
export interface Subscriber {
  readonly bank: Bank
  /** Returns the subscription's number. `make` is given what sends a notification. */
  subscribe(kind: string, make: (notify: Notify, end: () => void) => BankListener): number
  /** @returns whether there was such a subscription */
  unsubscribe(id: number): boolean
  /** Runs work once the answer to the current call has been sent. */
  afterAnswer(work: () => void): void
  flush(): void
  close(): void
}

/** Hands out subscription numbers and ties subscriptions to the bank. */
export class Subscriptions {
  readonly #bank: Bank
  readonly #logger: Logger
  #next = 0
  #open = 0

  constructor(bank: Bank, logger: Logger) {
    this.#bank = bank
    this.#logger = logger
  }

  connect(send: Send): Subscriber {
    const ends = new Map<number, () => void>()
    let waiting: (() => void)[] = []
    const unsubscribe = (id: number): boolean => {
      ends.get(id)?.()
      const found = ends.delete(id)
      if (found) this.#open -= 1
      return found
    }
    return {
      bank: this.#bank,
      subscribe: (kind, make) => {
        if (this.#open >= MAX_SUBSCRIPTIONS)
          throw new RpcError(-32603, 'Internal error: Subscription refused. Node subscription limit reached')
        const id = (this.#next += 1)
        this.#open += 1
        const notify: Notify = (result) =>
          send({ jsonrpc: '2.0', method: `${kind}Notification`, params: { result, subscription: id } })
        const listener = make(notify, () => unsubscribe(id))
        ends.set(id, this.#bank.listen(this.#guarded(listener)))
        return id
      },
      unsubscribe,
      afterAnswer: (work) => void waiting.push(work),
      flush: () => {
        const ready = waiting
        waiting = []
        for (const work of ready) work()
      },
      close: () => {
        for (const id of ends.keys()) unsubscribe(id)
      },
    }
  }

  // A subscription that cannot be served must not stop the ledger.
  #guarded(listener: BankListener): BankListener {
    const guard = (work: () => void): void => {
      try {
        work()
      } catch (err) {
        this.#logger.warn({ err }, 'localnet notification failed')
      }
    }
    return {
      slotStarted: (slot) => guard(() => listener.slotStarted?.(slot)),
      transactionRan: (record, touched) => guard(() => listener.transactionRan?.(record, touched)),
      blockReached: (reached, content) => guard(() => listener.blockReached?.(reached, content)),
    }
  }
}
