import type { Pubkey } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'

type Changes = Map<Pubkey, Account | null>

/**
 * For each recent slot, the accounts that it changed, in their state before the slot. Used for
 * reads at an older slot and to roll back slots that are not finalized.
 */
export class UndoLog {
  // In ascending order, because slots are only added at the end.
  readonly #slots = new Map<number, Changes>()

  record(slot: number, key: Pubkey, before: Account | null): void {
    const changes = this.#slots.get(slot) ?? new Map<Pubkey, Account | null>()
    this.#slots.set(slot, changes)
    if (!changes.has(key)) changes.set(key, before)
  }

  touched(slot: number): Iterable<Pubkey> {
    return this.#slots.get(slot)?.keys() ?? []
  }

  /** The account at the end of the slot, or undefined if it has not changed since. */
  at(slot: number, key: Pubkey): Account | null | undefined {
    for (const [changed, changes] of this.#slots) {
      if (changed > slot && changes.has(key)) return changes.get(key) ?? null
    }
    return undefined
  }

  /** All accounts that changed after the slot, in their state at the end of the slot. */
  changedSince(slot: number): Map<Pubkey, Account | null> {
    const states: Changes = new Map()
    for (const [changed, changes] of this.#slots) {
      if (changed <= slot) continue
      for (const [key, before] of changes) if (!states.has(key)) states.set(key, before)
    }
    return states
  }

  forgetUpTo(slot: number): void {
    for (const changed of this.#slots.keys()) {
      if (changed > slot) return
      this.#slots.delete(changed)
    }
  }

  forgetAfter(slot: number): void {
    for (const changed of this.#slots.keys()) if (changed > slot) this.#slots.delete(changed)
  }
}
