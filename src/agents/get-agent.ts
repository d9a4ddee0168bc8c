import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/tables.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../errors.ts'
import { agentColumns, type AgentRow } from './agent-row.ts'

/** Throws INVALID_PUBKEY, and AGENT_NOT_FOUND for an agent that never was or is closed. */
export async function getAgent(kysely: Kysely<Database>, pda: string): Promise<AgentRow> {
  const key = pubkeyParameter('pda', pda)
  const { rows } = await sql<AgentRow>`select ${agentColumns} from agents where pda = ${key}`.execute(kysely)
  const [agent] = rows
  if (agent === undefined) throw new DomainError('AGENT_NOT_FOUND')
  return agent
}

/** The agents among these addresses that exist, in no order. */
export async function findAgents(kysely: Kysely<Database>, pdas: readonly string[]): Promise<AgentRow[]> {
  const { rows } = await sql<AgentRow>`
    select ${agentColumns} from agents where pda = any(${pdas}::text[])`.execute(kysely)
  return rows
}
