import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { columnsOf, type RowOf } from '../../db/columns-of.ts'
import { AgentCardCheck } from '../../db/entities/agent-cards.ts'

const HIDDEN = [
  'cardHashMismatch',
  'url',
  'hash',
  'host',
  'site',
  'failures',
  'nextCheckAt',
  'leaseToken',
  'claimedAt',
  'credentialsDueAt',
  'credentialsClaimedAt',
  'credentialsToken',
] as const

/** An agent's hosted card as the read API shows it. */
export type CardRow = Omit<RowOf<typeof AgentCardCheck>, (typeof HIDDEN)[number]>

const cardColumns = columnsOf(AgentCardCheck, HIDDEN)

export interface CardReads {
  /** What is known of the hosted cards of these agents, in no order. */
  find(agentPdas: readonly string[]): Promise<CardRow[]>
}

export function createCardReads(kysely: Kysely<Database>): CardReads {
  return {
    find: async (agentPdas) => {
      const { rows } = await sql<CardRow>`
        select ${cardColumns} from agent_card_checks
        where agent_pda = any(${agentPdas}::text[])`.execute(kysely)
      return rows
    },
  }
}

/** Of an agent that was registered in this very moment. */
export const UNCHECKED_CARD: Omit<CardRow, 'agentPda'> = {
  state: 'unchecked',
  checkedAt: null,
  reason: null,
  matchedBy: null,
  signature: null,
  content: null,
}
