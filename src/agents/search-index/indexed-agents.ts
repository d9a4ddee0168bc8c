import type { Client } from 'pg'
import type { AgentProfile } from '../../registry/agents-copy.ts'
import type { CopiedTable } from '../../registry/changes.ts'
import type { IndexedAgent } from './agent-slots.ts'
import { shownTrigrams } from './trigrams.ts'

type AgentValues = [
  pda: string,
  name: string,
  trigrams: string[] | null,
  tier: string,
  status: string,
  category: string,
  mismatched: boolean,
  reputation: number,
  createdAt: number,
]

/**
 * What the index reads. PostgreSQL computes the trigrams of names that are not ASCII, or of all.
 */
export const indexedAgents = (allTrigrams: boolean): CopiedTable => ({
  name: 'agents',
  columns: [
    'pda',
    'name',
    `case when ${allTrigrams} or octet_length(name) <> char_length(name) then show_trgm(name) end`,
    'tier',
    'status',
    'service_category',
    'card_hash_mismatch',
    'reputation_score',
    '(extract(epoch from created_at) * 1000000)::float8',
  ],
})

export function toIndexedAgent(
  values: readonly unknown[],
  profiles: Map<string, AgentProfile>,
): IndexedAgent {
  const [pda, name, trigrams, tier, status, category, mismatched, reputation, createdAt] =
    values as unknown as AgentValues
  const key = `${tier} ${status} ${category} ${mismatched}`
  let profile = profiles.get(key)
  if (profile === undefined) profiles.set(key, (profile = { tier, status, category, mismatched }))
  return { pda, name, trigrams: trigrams && shownTrigrams(trigrams), profile, reputation, createdAt }
}

/** The trigrams of a text of any script. */
export async function readTrigrams(client: Client, text: string): Promise<string[]> {
  const { rows } = await client.query<{ trigrams: string[] }>('select show_trgm($1) as trigrams', [text])
  return rows[0]!.trigrams
}
