import type { RunQuery } from './changes.ts'
import { packedColumns, readParsers, type StakeRow, stakeSelection } from './rows.ts'
import { PDA } from './sort-order.ts'
import { type CountedPage, isIn, type Parser, TableCopy, type Window, withKeys } from './table-copy.ts'
import type { IndexedTable } from './table-data.ts'

const { columns, fieldOf } = packedColumns(stakeSelection)

export const STAKES = {
  name: 'stakes',
  columns,
  keys: { owner: fieldOf('owner'), agent: fieldOf('agentPda') },
  orders: {
    pda: { by: 'text', field: PDA },
    deposited_amount: { by: 'digits', field: fieldOf('depositedAmount') },
  },
} as const satisfies IndexedTable

export const stakeParsers = (query: RunQuery): Promise<Parser[]> =>
  readParsers(stakeSelection, fieldOf, query)

export interface StakeWindow extends Window {
  readonly sort: 'pda' | 'deposited_amount'
}

const SUMMED = ['depositedAmount', 'lockedAmount', 'pendingWithdrawal'] as const
type Summed = Pick<StakeRow, (typeof SUMMED)[number]>
/** All stakes. */
export class StakesCopy extends TableCopy<StakeRow, keyof typeof STAKES.keys, keyof typeof STAKES.orders> {
  readonly #sums = SUMMED.map(() => 0n)

  protected readonly counted = SUMMED
  protected added(_: number, row: Summed): void {
    for (const [i, name] of SUMMED.entries()) this.#sums[i]! += BigInt(row[name])
  }

  protected removed(_: number, row: Summed): void {
    for (const [i, name] of SUMMED.entries()) this.#sums[i]! -= BigInt(row[name])
  }

  /** The number of stakes and their exact sums, in decimal. */
  totals() {
    const [depositedAmount = '', lockedAmount = '', pendingWithdrawals = ''] = this.#sums.map(String)
    return { stakes: this.size, depositedAmount, lockedAmount, pendingWithdrawals }
  }

  /** The stakes of those agents that have one. Undefined if there are too many. */
  ofAgents(agentPdas: readonly string[]): StakeRow[] | undefined {
    const groups = [...new Set(agentPdas)].map((pda) => this.keys.agent.all(pda))
    if (groups.includes(undefined)) return undefined
    return groups.flatMap((slots) => slots!.map((slot) => this.row(slot)))
  }

  /** A page of a list. Undefined if it is too much work. */
  list(
    { owner, agentPda }: { readonly owner: string | null; readonly agentPda: string | null },
    window: StakeWindow,
  ): CountedPage<StakeRow> | undefined {
    const order = this.orders[window.sort]
    const keyed = withKeys(window, (value) => (window.sort === 'pda' ? value : String(BigInt(value))))
    if (owner === null && agentPda === null) {
      const rows = this.scan(order, keyed, null)
      return rows && { total: this.size, rows }
    }
    const group = owner === null ? this.keys.agent.all(agentPda!) : this.keys.owner.all(owner)
    const slots = group?.filter((slot) => agentPda === null || this.row(slot).agentPda === agentPda)
    return slots && { total: slots.length, rows: this.select(order, keyed, [slots], isIn(slots)) }
  }
}
