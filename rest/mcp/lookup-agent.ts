import { isPubkey } from '@agent-registry/solana'
import { DID_METHOD, parseDid } from '../../src/domain/did.ts'
import type { AgentRow } from '../../src/agents/agent-row.ts'
import type { Services } from '../../src/services.ts'
import { type AgentView, agentView } from './agent-view.ts'

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
export async function lookupAgent({ agents }: Services, query: string): Promise<FoundAgents> {
  const text = query.trim()
  const found = (matchedBy: FoundAgents['matchedBy'], agent: AgentRow | null): FoundAgents => ({
    matchedBy,
    agents: agent === null ? [] : [agentView(agent)],
  })
  if (text.startsWith(`${DID_METHOD}:`)) return found('did', await agents.findByOwner(parseDid(text)))
  if (isPubkey(text)) {
    const owned = await agents.findByOwner(text)
    return owned === null ? found('pda', await agents.lookUp(text)) : found('owner', owned)
  }
  const { rows } = await agents.list({ name: text, limit: MATCHES, includeMismatched: true })
  return { matchedBy: 'name', agents: rows.map(agentView) }
}
