import type { CopiedTable } from './changes.ts'
import { type StakeRow, stakeSelection } from './rows.ts'
import { SortOrder } from './sort-order.ts'
import { type CountedPage, SlotGroups, TableCopy, type Window, withKeys } from './table-copy.ts'

export const STAKES: CopiedTable = { name: 'stakes', columns: stakeSelection.columns }

export interface StakeWindow extends Window {
  readonly sort: 'pda' | 'deposited_amount'
}

const SUMMED = ['depositedAmount', 'lockedAmount', 'pendingWithdrawal'] as const
/** Of a u64 in decimal. */
const DIGITS = 20

/** An amount as text that is sorted like the amount. */
export const amountOrder = (amount: string): string => amount.padStart(DIGITS, '0')

/** All stakes. */
export class StakesCopy extends TableCopy<StakeRow> {
  readonly #owners = new SlotGroups()
  readonly #agents = new SlotGroups()
  readonly #sums = SUMMED.map(() => 0n)
  readonly #sorts = {
    pda: new SortOrder('text', this.pdaOf),
    deposited_amount: new SortOrder('text', this.pdaOf),
  }
  protected readonly orders = Object.values(this.#sorts)

  constructor() {
    super(stakeSelection.names)
  }

  protected sortValues(row: StakeRow) {
    return [row.pda, amountOrder(row.depositedAmount)]
  }

  protected added(slot: number, row: StakeRow): void {
    this.#owners.add(row.owner, slot)
    this.#agents.add(row.agentPda, slot)
    for (const [i, name] of SUMMED.entries()) this.#sums[i]! += BigInt(row[name])
  }

  protected removed(slot: number, row: StakeRow): void {
    this.#owners.remove(row.owner, slot)
    this.#agents.remove(row.agentPda, slot)
    for (const [i, name] of SUMMED.entries()) this.#sums[i]! -= BigInt(row[name])
  }

  /** The number of stakes and their exact sums, in decimal. */
  totals() {
    const [depositedAmount = '', lockedAmount = '', pendingWithdrawals = ''] = this.#sums.map(String)
    return { stakes: this.size, depositedAmount, lockedAmount, pendingWithdrawals }
  }

  /** The stakes of those agents that have one. Undefined if there are too many. */
  ofAgents(agentPdas: readonly string[]): StakeRow[] | undefined {
    const groups = [...new Set(agentPdas)].map((pda) => this.#agents.of(pda))
    if (groups.includes(undefined)) return undefined
    return groups.flatMap((slots) => slots!.map((slot) => this.rows[slot]!))
  }

  /** A page of a list. Undefined if it is too much work. */
  list(
    { owner, agentPda }: { readonly owner: string | null; readonly agentPda: string | null },
    window: StakeWindow,
  ): CountedPage<StakeRow> | undefined {
    const order = this.#sorts[window.sort]
    const keyed = withKeys(window, (value) =>
      window.sort === 'pda' ? value : amountOrder(String(BigInt(value))),
    )
    if (owner === null && agentPda === null) {
      const rows = this.scan(order, keyed, null)
      return rows && { total: this.size, rows }
    }
    const group = owner === null ? this.#agents.of(agentPda!) : this.#owners.of(owner)
    const slots = group?.filter((slot) => agentPda === null || this.rows[slot]!.agentPda === agentPda)
    return slots && { total: slots.length, rows: this.select(order, keyed, slots) }
  }
}
