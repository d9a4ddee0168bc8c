import { SlotSet } from './slot-set.ts'
import type { Trigram } from './trigrams.ts'

/** For each trigram, the slots of the names that contain it. */
export class Postings {
  readonly #sets = new Map<Trigram, SlotSet>()

  add(slot: number, trigrams: readonly Trigram[], capacity: number): void {
    for (const trigram of trigrams) {
      let set = this.#sets.get(trigram)
      if (set === undefined) this.#sets.set(trigram, (set = new SlotSet()))
      set.add(slot, capacity)
    }
  }

  /** The trigrams must be those that were added. */
  remove(slot: number, trigrams: readonly Trigram[]): void {
    for (const trigram of trigrams) {
      const set = this.#sets.get(trigram)!
      set.remove(slot)
      if (set.size === 0) this.#sets.delete(trigram)
    }
  }

  grow(capacity: number): void {
    for (const set of this.#sets.values()) set.grow(capacity)
  }

  /** The sets of those trigrams that a name contains. */
  of(trigrams: readonly Trigram[]): SlotSet[] {
    return trigrams.flatMap((trigram) => this.#sets.get(trigram) ?? [])
  }
}
