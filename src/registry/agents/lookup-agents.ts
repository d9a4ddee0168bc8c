import { isPubkey } from '@agent-registry/solana'
import { DID_METHOD, parseDid } from '../../domain/did.ts'
import type { Page, PageInput } from '../../domain/page.ts'
import { textParameter } from '../../domain/parameters.ts'
import { MAX_NAME_SEARCH } from './agent-filter.ts'
import type { AgentRow } from '../rows.ts'
import type { SortedAgentFilter } from './list-agents.ts'

export const MATCHES = 10
export const MATCHED_BY = ['did', 'owner', 'pda', 'name'] as const

interface Lookups {
  list(input: SortedAgentFilter & PageInput): Promise<Page<AgentRow>>
  lookUp(pda: string): Promise<AgentRow | null>
  findByOwner(owner: string): Promise<AgentRow | null>
}

export interface FoundAgents {
  readonly matchedBy: (typeof MATCHED_BY)[number]
  readonly agents: readonly AgentRow[]
}

/** Whether a text is neither a DID nor a public key. */
export function isName(query: string): boolean {
  const text = query.trim()
  return !text.startsWith(`${DID_METHOD}:`) && !isPubkey(text)
}

/**
 * Finds agents by a DID, the owner's key, the agent's address, or otherwise by name. Throws
 * INVALID_DID and INVALID_TEXT.
 */
export async function lookupAgents(agents: Lookups, query: string): Promise<FoundAgents> {
  const text = query.trim()
  const found = (matchedBy: FoundAgents['matchedBy'], agent: AgentRow | null): FoundAgents => ({
    matchedBy,
    agents: agent === null ? [] : [agent],
  })
  if (text.startsWith(`${DID_METHOD}:`)) return found('did', await agents.findByOwner(parseDid(text)))
  if (isPubkey(text)) {
    const owned = await agents.findByOwner(text)
    return owned === null ? found('pda', await agents.lookUp(text)) : found('owner', owned)
  }
  const name = textParameter(MAX_NAME_SEARCH)('query', text)
  const { rows } = await agents.list({ name, limit: MATCHES, includeMismatched: true })
  return { matchedBy: 'name', agents: rows }
}
