import { type Kysely, sql } from 'kysely'
import type { Database } from '../../db/database.ts'
import { isOtherText, type NameWindow } from '../agents-copy.ts'
import type { RegistryReader } from '../registry.ts'
import type { AgentRow } from '../rows.ts'
import { asciiTrigrams, shownTrigrams } from '../search/trigrams.ts'
import type { CountedPage } from '../table-copy.ts'
import { type AgentFilter, conditionsOf } from './agent-filter.ts'

/** Searches by name in memory. Null if PostgreSQL must. */
export async function searchAgents(
  kysely: Kysely<Database>,
  registry: RegistryReader,
  filter: AgentFilter & { readonly name: string },
  window: NameWindow,
): Promise<CountedPage<AgentRow> | null> {
  const { name, owner = null } = filter
  if (owner !== null) return null
  const trigrams = isOtherText(name) ? await readTrigrams(kysely, name) : asciiTrigrams(name)
  return registry.read<CountedPage<AgentRow> | null>(
    ({ agents }) => agents.search(trigrams, conditionsOf(filter), window),
    async () => null,
  )
}

/** The trigrams of a text of any script. */
async function readTrigrams(kysely: Kysely<Database>, text: string): Promise<number[]> {
  const { rows } = await sql<{ trigrams: string[] }>`select show_trgm(${text}) as trigrams`.execute(kysely)
  return shownTrigrams(rows[0]!.trigrams)
}
