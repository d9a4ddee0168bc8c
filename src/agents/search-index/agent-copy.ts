import type { Client } from 'pg'
import { NameIndex } from './name-index.ts'
import type { IndexPosition, LocatedAgents, SearchRequest } from './protocol.ts'
import { readAgents, readChanges, readPosition, readTrigrams } from './read-changes.ts'
import { MAX_COUNT } from './bit-planes.ts'
import { asciiTrigrams, isAscii, isSameSet, shownTrigrams } from './trigrams.ts'

/** While an old transaction runs, the transactions after it are remembered, up to this number. */
const MAX_APPLIED = 1_000
const ASCII = Array.from({ length: 127 }, (_, i) => String.fromCharCode(i + 1)).join('')
const EXPECTED_AGENTS = 'select coalesce(sum(count), 0)::float8 as agents from agent_counts'

/** A copy of the agents table for searches, and the position up to which it is complete. */
export interface AgentCopy {
  readonly size: number
  /** Reads what was committed since. Returns false if the copy must be loaded again. */
  refresh(client: Client): Promise<boolean>
  /** Null if the copy cannot answer. */
  search(client: Client, request: SearchRequest): Promise<LocatedAgents | null>
}

/** Loads all agents. Calls `check` after each part. */
export async function loadAgentCopy(client: Client, check: () => void): Promise<AgentCopy> {
  // In some locales, lower case differs even for ASCII letters.
  const shown = shownTrigrams(await readTrigrams(client, ASCII))
  const allTrigrams = !isSameSet(asciiTrigrams(ASCII), shown)
  const { rows } = await client.query<{ agents: number }>(EXPECTED_AGENTS)
  let position: IndexPosition = await readPosition(client)
  const index = new NameIndex(rows[0]!.agents)
  for await (const agents of readAgents(client, allTrigrams)) {
    for (const agent of agents) index.put(agent)
    check()
  }

  const refresh = async (using: Client): Promise<boolean> => {
    const changes = await readChanges(using, position, allTrigrams)
    if (changes.agents === null) return false
    for (const { pda, agent } of changes.agents) {
      if (agent === null) index.remove(pda)
      else index.put(agent)
    }
    position = changes.position
    return true
  }
  return {
    get size() {
      return index.size
    },
    refresh,
    search: async (using, { name, search }) => {
      const trigrams =
        isAscii(name) && !allTrigrams ? asciiTrigrams(name) : shownTrigrams(await readTrigrams(using, name))
      if (trigrams.length > MAX_COUNT || position.applied.length > MAX_APPLIED) return null
      return { ...index.search(trigrams, search), position }
    },
  }
}
