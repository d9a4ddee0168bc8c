import type { Client } from 'pg'
import type { AgentProfile } from '../../registry/agents-copy.ts'
import { ChangeFeed } from '../../registry/changes.ts'
import { MAX_COUNT } from './bit-planes.ts'
import { indexedAgents, readTrigrams, toIndexedAgent } from './indexed-agents.ts'
import { NameIndex } from './name-index.ts'
import type { LocatedAgents, SearchRequest } from './protocol.ts'
import { asciiTrigrams, isAscii, isSameSet, shownTrigrams } from './trigrams.ts'

/** More are read faster as a whole. */
const MAX_CHANGES = 20_000
const ASCII = Array.from({ length: 127 }, (_, i) => String.fromCharCode(i + 1)).join('')
const EXPECTED_AGENTS = 'select coalesce(sum(count), 0)::float8 as agents from agent_counts'

/** A copy of the agents table for searches, and the position up to which it is complete. */
export interface AgentCopy {
  readonly size: number
  /** Reads what was committed since. Returns false if the copy must be loaded again. */
  refresh(): Promise<boolean>
  /** Null if the copy cannot answer. */
  search(request: SearchRequest): Promise<LocatedAgents | null>
}

/** Loads all agents. Calls `check` after each part. `clientNow` returns the connection. */
export async function loadAgentCopy(clientNow: () => Client, check: () => void): Promise<AgentCopy> {
  // In some locales, lower case differs even for ASCII letters.
  const shown = shownTrigrams(await readTrigrams(clientNow(), ASCII))
  const allTrigrams = !isSameSet(asciiTrigrams(ASCII), shown)
  const feed = new ChangeFeed([indexedAgents(allTrigrams)], async (text, values) => {
    const { rows } = await clientNow().query<unknown[]>({ text, values: [...values], rowMode: 'array' })
    return rows
  })
  const { rows } = await clientNow().query<{ agents: number }>(EXPECTED_AGENTS)
  let position = await feed.position()
  const index = new NameIndex(rows[0]!.agents)
  const profiles = new Map<string, AgentProfile>()
  for await (const page of feed.pages(0)) {
    for (const values of page) index.put(toIndexedAgent(values, profiles))
    check()
  }

  return {
    get size() {
      return index.size
    },
    refresh: async () => {
      const changes = await feed.changes(position, MAX_CHANGES)
      if (changes.rows === null) return false
      for (const { pda, values } of changes.rows) {
        if (values === null) index.remove(pda)
        else index.put(toIndexedAgent(values, profiles))
      }
      position = changes.position
      return true
    },
    search: async ({ name, search }) => {
      const trigrams =
        isAscii(name) && !allTrigrams
          ? asciiTrigrams(name)
          : shownTrigrams(await readTrigrams(clientNow(), name))
      return trigrams.length > MAX_COUNT ? null : { ...index.search(trigrams, search), position }
    },
  }
}
