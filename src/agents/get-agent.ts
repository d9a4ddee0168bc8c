import { type Kysely, sql } from 'kysely'
import { gather } from '../db/gather.ts'
import type { Database } from '../db/database.ts'
import { pubkeyParameter } from '../domain/parameters.ts'
import { DomainError } from '../domain/errors.ts'
import { agentColumns, type AgentRow } from './agent-row.ts'

const MOST_AT_ONCE = 100

/** Throws INVALID_PUBKEY, and AGENT_NOT_FOUND for an agent that never was or is closed. */
export type GetAgent = (pda: string) => Promise<AgentRow>

/** Under load one statement reads the agents of several requests. */
export function createGetAgent(kysely: Kysely<Database>): GetAgent {
  const find = gather(async (pdas) => {
    const agents = await findAgents(kysely, pdas)
    return new Map(agents.map((agent) => [agent.pda, agent]))
  }, MOST_AT_ONCE)
  return async (pda) => {
    const agent = await find(pubkeyParameter('pda', pda))
    if (agent === undefined) throw new DomainError('AGENT_NOT_FOUND')
    return agent
  }
}

/** The agents among these addresses that exist, in no order. */
export async function findAgents(kysely: Kysely<Database>, pdas: readonly string[]): Promise<AgentRow[]> {
  const key = pdas.length === 1 ? sql`pda = ${pdas[0]}` : sql`pda = any(${pdas}::text[])`
  const { rows } = await sql<AgentRow>`select ${agentColumns} from agents where ${key}`.execute(kysely)
  return rows
}
