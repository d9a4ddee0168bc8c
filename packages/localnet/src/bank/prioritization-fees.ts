import type { Message, Pubkey } from '@agent-registry/solana'
import { computeBudget } from './compute-budget.ts'

interface Transaction {
  readonly price: number
  readonly writable: ReadonlySet<Pubkey>
}

const MAX_SLOTS = 150

/** The compute unit prices of the transactions in the last 150 slots. */
export class PrioritizationFees {
  readonly #slots = new Map<number, Transaction[]>()

  begin(slot: number): void {
    this.#slots.set(slot, [])
    const [oldest] = this.#slots.keys()
    if (this.#slots.size > MAX_SLOTS) this.#slots.delete(oldest!)
  }

  record(slot: number, message: Message, writable: ReadonlySet<Pubkey>): void {
    this.#slots.get(slot)?.push({ price: Number(computeBudget(message).price), writable })
  }

  forgetAfter(slot: number): void {
    for (const each of this.#slots.keys()) if (each > slot) this.#slots.delete(each)
  }

  /**
   * The price that a transaction with these writable accounts needed, in micro-lamports per unit.
   */
  recent(accounts: readonly Pubkey[]): { slot: number; prioritizationFee: number }[] {
    return [...this.#slots].map(([slot, transactions]) => {
      const byAccount = accounts.map((key) => transactions.filter((each) => each.writable.has(key)))
      return { slot, prioritizationFee: Math.max(...[transactions, ...byAccount].map(lowestPrice)) }
    })
  }
}

function lowestPrice(transactions: readonly Transaction[]): number {
  const lowest = transactions.reduce((price, each) => Math.min(price, each.price), Infinity)
  return Number.isFinite(lowest) ? lowest : 0
}
