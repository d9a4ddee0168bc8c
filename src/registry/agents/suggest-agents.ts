import { sql } from 'kysely'
import { integerParameter, optional, textParameter } from '../../domain/parameters.ts'
import { LAST_CHARACTER } from '../agents-copy.ts'
import { MAX_NAME_SEARCH } from './agent-filter.ts'
import type { AgentSources } from './list-agents.ts'
import { agentColumns, type AgentRow } from '../rows.ts'

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
  { kysely, registry }: Pick<AgentSources, 'kysely' | 'registry'>,
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
