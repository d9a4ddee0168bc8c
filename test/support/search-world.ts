import { expect } from 'vitest'
import { type AgentReads, createAgentReads } from '../../src/agents/agent-reads.ts'
import type { SortedAgentFilter } from '../../src/agents/list-agents.ts'
import type { SearchIndex } from '../../src/agents/search-index/search-index.ts'
import { openReads } from '../../src/db/reads.ts'
import type { ConnectionInput } from '../../src/domain/connection.ts'
import type { PageInput } from '../../src/domain/page.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { createTestIndex } from './search.ts'

/** Searches with an index and with PostgreSQL alone, on one database. */
export interface SearchWorld {
  readonly database: TestDatabase
  readonly index: SearchIndex
  /** Searches that the index answered. */
  readonly answered: () => number
  readonly indexed: AgentReads
  readonly direct: AgentReads
  close(): Promise<void>
}

export async function createSearchWorld(given?: TestDatabase): Promise<SearchWorld> {
  const database = given ?? (await createTestDatabase())
  const index = await createTestIndex(database)
  let answered = 0
  const counted: SearchIndex = {
    ...index,
    search: async (...args) => {
      const found = await index.search(...args)
      if (found !== null) answered += 1
      return found
    },
  }
  const reads = await openReads(database.orm)
  return {
    database,
    index,
    answered: () => answered,
    indexed: createAgentReads(reads, { index: counted }),
    direct: createAgentReads(reads),
    close: async () => {
      await index.stop()
      if (given === undefined) await database.drop()
    },
  }
}

export async function expectSamePage(
  { indexed, direct }: SearchWorld,
  input: SortedAgentFilter & PageInput,
): Promise<void> {
  const read = async (reads: AgentReads) => {
    const { rows, ...page } = await reads.list(input)
    // Each row of a page that PostgreSQL finds also has the total.
    return { ...page, rows: rows.map((row) => Object.assign(row, { total: page.total })) }
  }
  expect(await read(indexed)).toEqual(await read(direct))
}

/** Also with the cursors of the page, forward and backward. */
export async function expectSameConnection(
  { indexed, direct }: SearchWorld,
  filter: SortedAgentFilter,
  size: number,
): Promise<void> {
  const read = async (reads: AgentReads, page: ConnectionInput) => {
    const { count, ...connection } = await reads.listConnection({ ...filter, ...page })
    return { ...connection, total: await count() }
  }
  const compare = async (page: ConnectionInput) => {
    const found = await read(indexed, page)
    expect(found).toEqual(await read(direct, page))
    return found.edges
  }
  const first = await compare({ first: size })
  await compare({ last: size })
  await compare({ first: size, after: first.at(-1)?.cursor })
  await compare({ last: size, before: first.at(-1)?.cursor })
}
