import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { CardContent, CardSignature, CardMatch, CardState } from '../../domain/agent-card.ts'

export interface CardReads {
  /** What is known of the hosted cards of these agents, in no order. */
  find(agentPdas: readonly string[]): Promise<CardRow[]>
}

export function createCardReads(kysely: Kysely<Database>): CardReads {
  return {
    find: async (agentPdas) => {
      const { rows } = await sql<CardRow>`
        select agent_pda as "agentPda", state, checked_at as "checkedAt", reason, matched_by as "matchedBy", signature, content
        from agent_card_checks where agent_pda = any(${agentPdas}::text[])`.execute(kysely)
      return rows
    },
  }
}

/** Of an agent that was registered in this very moment. */
export const NOT_CHECKED: Omit<CardRow, 'agentPda'> = {
  state: 'unchecked',
  checkedAt: null,
  reason: null,
  matchedBy: null,
  signature: null,
  content: null,
}

/** An agent's hosted card as the read API shows it. */
export interface CardRow {
  readonly agentPda: string
  readonly state: CardState
  /** ISO 8601 with milliseconds. */
  readonly checkedAt: string | null
  readonly reason: string | null
  readonly matchedBy: CardMatch | null
  readonly signature: CardSignature | null
  /** Of the last card that was fetched from this URL. */
  readonly content: CardContent | null
}
