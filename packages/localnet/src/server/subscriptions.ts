import type { Bank } from '../bank/bank.ts'
import type { BankListener } from '../bank/events.ts'
import type { Logger } from '../logger.ts'
import { RpcError } from '../rpc/rpc-error.ts'

const MAX_SUBSCRIPTIONS = 10_000

/** The numbers that all connections share. */
export class SubscriptionCounter {
  open = 0
  lastId = 0
}

/** Sends a notification to the client. */
export type Notify = (result: unknown) => void

/** The subscriptions of one connection. */
export class Subscriber {
  readonly bank: Bank
  readonly #logger: Logger
  readonly #counter: SubscriptionCounter
  readonly #send: (message: object) => void
  readonly #removers = new Map<number, () => void>()

  constructor(bank: Bank, logger: Logger, counter: SubscriptionCounter, send: (message: object) => void) {
    this.bank = bank
    this.#logger = logger
    this.#counter = counter
    this.#send = send
  }

  /**
   * @param create receives a function that ends the subscription
   * @returns the number of the subscription
   */
  subscribe(kind: string, create: (notify: Notify, end: () => void) => BankListener): number {
    if (this.#counter.open >= MAX_SUBSCRIPTIONS)
      throw new RpcError(-32603, 'Internal error: Subscription refused. Node subscription limit reached')
    this.#counter.open += 1
    this.#counter.lastId += 1
    const id = this.#counter.lastId
    const notify: Notify = (result) => {
      if (!this.#removers.has(id)) return
      this.#send({ jsonrpc: '2.0', method: `${kind}Notification`, params: { result, subscription: id } })
    }
    const listener = create(notify, () => this.unsubscribe(id))
    this.#removers.set(
      id,
      this.bank.listen({
        slotStarted: (slot) => this.#withoutErrors(() => listener.slotStarted?.(slot)),
        committed: (commitment, changes) =>
          this.#withoutErrors(() => listener.committed?.(commitment, changes)),
      }),
    )
    return id
  }

  /** @returns whether the subscription existed */
  unsubscribe(id: number): boolean {
    this.#removers.get(id)?.()
    const existed = this.#removers.delete(id)
    if (existed) this.#counter.open -= 1
    return existed
  }

  close(): void {
    for (const id of this.#removers.keys()) this.unsubscribe(id)
  }

  // An error in a subscription must not stop the ledger.
  #withoutErrors(work: () => void): void {
    try {
      work()
    } catch (err) {
      this.#logger.warn({ err }, 'localnet notification failed')
    }
  }
}
