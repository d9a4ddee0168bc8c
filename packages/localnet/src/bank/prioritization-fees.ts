import type { Message, Pubkey } from '@agent-registry/solana'
import { computeBudget } from './compute-budget.ts'

interface SlotFees {
  lowest: number
  byAccount: Map<Pubkey, number>
}

const SLOTS_OF_FEES = 150

/** The lowest compute unit price in each of the last 150 slots, in total and per writable account. */
export class PrioritizationFees {
  readonly #slots = new Map<number, SlotFees>()

  begin(slot: number): void {
    this.#slots.set(slot, { lowest: Infinity, byAccount: new Map() })
    for (const old of this.#slots.keys()) {
      if (this.#slots.size <= SLOTS_OF_FEES) return
      this.#slots.delete(old)
    }
  }

  record(slot: number, message: Message, writable: ReadonlySet<Pubkey>): void {
    const fees = this.#slots.get(slot)
    if (fees === undefined) return
    const price = Number(computeBudget(message).price)
    fees.lowest = Math.min(fees.lowest, price)
    for (const key of writable) {
      fees.byAccount.set(key, Math.min(fees.byAccount.get(key) ?? Infinity, price))
    }
  }

  forgetAfter(slot: number): void {
    for (const each of this.#slots.keys()) if (each > slot) this.#slots.delete(each)
  }

  /** The price that a transaction with these writable accounts needed, in micro-lamports per unit. */
  recent(accounts: readonly Pubkey[]): { slot: number; prioritizationFee: number }[] {
    return [...this.#slots].map(([slot, { lowest, byAccount }]) => {
      const prices = accounts.map((key) => byAccount.get(key) ?? 0)
      return { slot, prioritizationFee: Math.max(Number.isFinite(lowest) ? lowest : 0, ...prices) }
    })
  }
}
