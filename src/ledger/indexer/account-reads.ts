import { type AccountStates, type DecodedTransactions, pdasOf } from '../decode/rows.ts'

const MAX_REMEMBERED = 200_000

/** The slots at which accounts were last read, so that catching up reads each account about once. */
export class AccountReads {
  readonly #slots = new Map<string, number>()

  /** The accounts not yet read at a later slot than that of the transaction that wrote them. */
  stale({ transactions }: DecodedTransactions): string[] {
    const stale = new Set<string>()
    for (const { slot, accounts } of transactions)
      for (const pda of accounts) if ((this.#slots.get(pda) ?? -1) <= slot) stale.add(pda)
    return [...stale]
  }

  remember(states: readonly AccountStates[]): void {
    if (this.#slots.size > MAX_REMEMBERED) this.#slots.clear()
    for (const state of states) for (const pda of pdasOf(state)) this.#slots.set(pda, state.slot)
  }
}
