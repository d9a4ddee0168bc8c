import { columnsOf, type RowOf } from '../db/columns-of.ts'
import { Stake } from '../db/entities/ledger-accounts.ts'

const HIDDEN = ['rentPayer', 'bump', 'slot'] as const

/** A stake account as the read API shows it. */
export type StakeRow = Omit<RowOf<typeof Stake>, (typeof HIDDEN)[number]>

export const stakeColumns = columnsOf(Stake, HIDDEN)
