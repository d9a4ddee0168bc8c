import type { Bank } from '../bank/bank.ts'
import type { BankListener } from '../bank/events.ts'
import type { Logger } from '../logger.ts'
import { RpcError } from '../rpc/rpc-error.ts'

/** The limit for all connections together. */
const MAX_SUBSCRIPTIONS = 10_000

export type Notify = (result: unknown) => void

/** The subscriptions of one connection. */
export interface Subscriber {
  readonly bank: Bank
  /**
   * @param create receives functions that send a notification and end the subscription
   * @returns the number of the subscription
   */
  subscribe(kind: string, create: (notify: Notify, end: () => void) => BankListener): number
  /** @returns whether the subscription existed */
  unsubscribe(id: number): boolean
  close(): void
}

/** The subscriptions of all connections. */
export class Subscriptions {
  readonly #bank: Bank
  readonly #logger: Logger
  #lastId = 0
  #open = 0

  constructor(bank: Bank, logger: Logger) {
    this.#bank = bank
    this.#logger = logger
  }

  connect(send: (message: unknown) => void): Subscriber {
    const removers = new Map<number, () => void>()
    const unsubscribe = (id: number): boolean => {
      removers.get(id)?.()
      const existed = removers.delete(id)
      if (existed) this.#open -= 1
      return existed
    }
    return {
      bank: this.#bank,
      subscribe: (kind, create) => {
        if (this.#open >= MAX_SUBSCRIPTIONS)
          throw new RpcError(-32603, 'Internal error: Subscription refused. Node subscription limit reached')
        this.#open += 1
        this.#lastId += 1
        const id = this.#lastId
        const notify: Notify = (result) => {
          if (!removers.has(id)) return
          send({ jsonrpc: '2.0', method: `${kind}Notification`, params: { result, subscription: id } })
        }
        const listener = create(notify, () => unsubscribe(id))
        removers.set(id, this.#bank.listen(this.#withoutErrors(listener)))
        return id
      },
      unsubscribe,
      close: () => {
        for (const id of removers.keys()) unsubscribe(id)
      },
    }
  }

  // An error in a subscription must not stop the ledger.
  #withoutErrors(listener: BankListener): BankListener {
    const run = (work: () => void): void => {
      try {
        work()
      } catch (err) {
        this.#logger.warn({ err }, 'localnet notification failed')
      }
    }
    return {
      slotStarted: (slot) => run(() => listener.slotStarted?.(slot)),
      committed: (commitment, changes) => run(() => listener.committed?.(commitment, changes)),
    }
  }
}
