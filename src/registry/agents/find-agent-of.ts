import { type Kysely, sql } from 'kysely'
import type { Pubkey } from '@agent-registry/solana'
import type { Database } from '../../db/database.ts'
import { agentColumns, type AgentRow } from '../rows.ts'

/**
 * The agent of a wallet. The program allows one agent per owner. The order makes the result stable
 * if another program does not.
 */
export async function findAgentOf(kysely: Kysely<Database>, owner: Pubkey): Promise<AgentRow | null> {
  const { rows } = await sql<AgentRow>`
    select ${agentColumns} from agents where owner = ${owner}
    order by created_at, pda limit 1`.execute(kysely)
  return rows[0] ?? null
}
