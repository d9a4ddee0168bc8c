import type { Pubkey } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'

type Changes = Map<Pubkey, Account | null>

/**
 * For each recent slot, the accounts it changed as they were before it. It serves reads at an older
 * commitment, and lets unfinalized slots be taken back.
 */
export class UndoLog {
  // Ascending by slot: slots are only ever added at the end.
  readonly #slots = new Map<number, Changes>()

  record(slot: number, key: Pubkey, before: Account | null): void {
    let changes = this.#slots.get(slot)
    if (changes === undefined) this.#slots.set(slot, (changes = new Map()))
    if (!changes.has(key)) changes.set(key, before)
  }

  touched(slot: number): Iterable<Pubkey> {
    return this.#slots.get(slot)?.keys() ?? []
  }

  /** The account at the end of the slot, or undefined where it has not changed since. */
  at(slot: number, key: Pubkey): Account | null | undefined {
    for (const [changed, changes] of this.#slots) {
      if (changed > slot && changes.has(key)) return changes.get(key) ?? null
    }
    return undefined
  }

  /** Every account changed after the slot, as it was at the end of it. */
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
