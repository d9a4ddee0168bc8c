import { columnsOf, type RowOf } from '../db/columns-of.ts'
import { Agent } from '../db/entities/agents.ts'

/** Columns that the read API does not show. */
const HIDDEN = [
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

/** An agent as the read API shows it. */
export type AgentRow = Omit<RowOf<typeof Agent>, (typeof HIDDEN)[number]> & {
  /** 0 to 1, only in a search by name. */
  nameSimilarity?: number
}

export const agentColumns = columnsOf(Agent, HIDDEN)
