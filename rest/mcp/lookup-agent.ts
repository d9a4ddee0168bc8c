import { isPubkey } from '@agent-registry/solana'
import { isDomainError } from '../../src/domain/errors.ts'
import { DID_METHOD, parseDid } from '../../src/domain/did.ts'
import type { Services } from '../../src/services.ts'
import { type AgentView, agentOf, agentView } from './agent-view.ts'

const MATCHES = 10

export interface FoundAgents {
  readonly matchedBy: 'did' | 'owner' | 'pda' | 'name'
  readonly agents: AgentView[]
}

/** Whether a text is neither a DID nor a public key. */
export function isName(query: string): boolean {
  const text = query.trim()
  return !text.startsWith(`${DID_METHOD}:`) && !isPubkey(text)
}

/** Finds agents by a DID, the owner's key, the agent's address, or otherwise by name. */
export async function lookupAgent(services: Services, query: string): Promise<FoundAgents> {
  const text = query.trim()
  const found = async (matchedBy: FoundAgents['matchedBy'], owner: string): Promise<FoundAgents> => {
    const agent = await agentOf(services, owner)
    return { matchedBy, agents: agent === null ? [] : [agentView(agent)] }
  }
  if (text.startsWith(`${DID_METHOD}:`)) return found('did', parseDid(text))
  if (isPubkey(text)) {
    const owned = await found('owner', text)
    return owned.agents.length > 0 ? owned : { matchedBy: 'pda', agents: await byAddress(services, text) }
  }
  const { rows } = await services.agents.list({ name: text, limit: MATCHES, includeMismatched: true })
  return { matchedBy: 'name', agents: rows.map(agentView) }
}

async function byAddress({ agents }: Services, pda: string): Promise<AgentView[]> {
  try {
    return [agentView(await agents.get(pda))]
  } catch (error) {
    if (isDomainError(error, 'AGENT_NOT_FOUND')) return []
    throw error
  }
}
