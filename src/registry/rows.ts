import { sql } from 'kysely'
import { type RowOf, selectionOf } from '../db/columns-of.ts'
import { Agent } from '../db/entities/agents.ts'
import { Stake } from '../db/entities/ledger-accounts.ts'

/** Columns that the read API does not show. */
const HIDDEN_OF_AGENTS = [
  'agentCardHash',
  'suspendedByAdmin',
  'reputationChangeToday',
  'reputationDayStart',
  'reputationUpdatedAt',
  'tierEffectiveAt',
  'bump',
  'slot',
  'searchXid',
] as const
const HIDDEN_OF_STAKES = ['bump', 'slot', 'searchXid'] as const

/** An agent as the read API shows it. */
export type AgentRow = Omit<RowOf<typeof Agent>, (typeof HIDDEN_OF_AGENTS)[number]> & {
  /** 0 to 1, only in a search by name. */
  nameSimilarity?: number
}

/** A stake account as the read API shows it. */
export type StakeRow = Omit<RowOf<typeof Stake>, (typeof HIDDEN_OF_STAKES)[number]>

export const agentSelection = selectionOf(Agent, HIDDEN_OF_AGENTS)
export const stakeSelection = selectionOf(Stake, HIDDEN_OF_STAKES)

export const agentColumns = sql.raw(agentSelection.columns.join(', '))
export const stakeColumns = sql.raw(stakeSelection.columns.join(', '))
