import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import type { RowOf } from '../../db/columns-of.ts'
import type { AgentCardCheck } from '../../db/entities/agent-cards.ts'

/** An agent's hosted card as the read API shows it. */
export type CardRow = Pick<
  RowOf<typeof AgentCardCheck>,
  'agentPda' | 'state' | 'checkedAt' | 'reason' | 'matchedBy' | 'signature' | 'content'
>

export function createCardReads(kysely: Kysely<Database>) {
  return {
    /** What is known of the hosted cards of these agents, in no order. */
    find: async (agentPdas: readonly string[]): Promise<CardRow[]> => {
      const { rows } = await sql<CardRow>`
        select agent_pda as "agentPda", state, checked_at as "checkedAt", reason, matched_by as "matchedBy",
          signature, content
        from agent_card_checks
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
