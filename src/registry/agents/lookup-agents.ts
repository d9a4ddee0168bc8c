import { isPubkey } from '@agent-registry/solana'
import { DID_METHOD, parseDid } from '../../domain/did.ts'
import type { Page, PageInput } from '../../domain/page.ts'
import { textParameter, integerParameter, optional } from '../../domain/parameters.ts'
import { MAX_NAME_SEARCH } from './agent-filter.ts'
import { type AgentRow, agentColumns } from '../rows.ts'
import type { SortedAgentFilter, AgentSources } from './list-agents.ts'
import { sql } from 'kysely'
import { LAST_CHARACTER } from '../agents-copy.ts'

export const MATCHES = 10

interface Lookups {
  list(input: SortedAgentFilter & PageInput): Promise<Page<AgentRow>>
  lookUp(pda: string): Promise<AgentRow | null>
  findByOwner(owner: string): Promise<AgentRow | null>
}

export interface FoundAgents {
  readonly matchedBy: 'did' | 'owner' | 'pda' | 'name'
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

export const SUGGESTION_LIMIT = { min: 1, max: 20, default: 10 } as const

export interface SuggestionInput {
  /** The first characters of a name, in any case. */
  readonly prefix: string
  readonly limit?: number | null
}

const readPrefix = textParameter(MAX_NAME_SEARCH)
const readLimit = integerParameter(SUGGESTION_LIMIT)

/**
 * Agents whose name begins with a prefix, in the order of names. Reads as many index entries as it
 * returns agents. Leaves out agents whose card does not match its hash.
 */
export async function suggestAgents(
  { kysely, registry }: AgentSources,
  { prefix, limit }: SuggestionInput,
): Promise<AgentRow[]> {
  const start = readPrefix('prefix', prefix)
  const size = optional(readLimit, 'limit', limit) ?? SUGGESTION_LIMIT.default
  return registry.read(
    ({ agents }) => agents.suggest(start, size),
    async () => {
      const key = sql`(lower(name) collate "C")`
      const { rows } = await sql<AgentRow>`
        select ${agentColumns} from agents
        where not card_hash_mismatch and ${key} >= lower(${start}) and ${key} < lower(${start}) || ${LAST_CHARACTER}
        order by ${key}, pda limit ${size}`.execute(kysely)
      return rows
    },
  )
}
