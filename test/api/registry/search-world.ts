import { expect } from 'vitest'
import { type AgentReads, createAgentReads } from '../../../src/registry/agents/agent-reads.ts'
import type { SortedAgentFilter } from '../../../src/registry/agents/list-agents.ts'
import { openReads } from '../../../src/db/reads.ts'
import type { ConnectionInput } from '../../../src/domain/connection.ts'
import type { PageInput } from '../../../src/domain/page.ts'
import type { Registry } from '../../../src/registry/registry.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { countReads, createTestRegistry } from '../../support/registry.ts'

/** Searches in memory and with PostgreSQL alone, on one database. */
interface SearchWorld {
  readonly database: TestDatabase
  readonly registry: Registry
  /** Searches that memory answered. */
  readonly answered: () => number
  readonly memory: AgentReads
  readonly direct: AgentReads
  close(): Promise<void>
}

export async function createSearchWorld(given?: TestDatabase): Promise<SearchWorld> {
  const database = given ?? (await createTestDatabase())
  const registry = await createTestRegistry(database, { minNames: 0 })
  const counted = countReads(registry)
  const reads = await openReads(database.orm)
  return {
    database,
    registry,
    answered: () => counted.counts.memory,
    memory: createAgentReads(reads, { registry: counted }),
    direct: createAgentReads(reads),
    close: async () => {
      await registry.stop()
      if (given === undefined) await database.drop()
    },
  }
}

export async function expectSamePage(
  { memory, direct }: SearchWorld,
  input: SortedAgentFilter & PageInput,
): Promise<void> {
  const read = async (reads: AgentReads) => {
    const { rows, ...page } = await reads.list(input)
    // Each row of a page that PostgreSQL finds also has the total.
    return { ...page, rows: rows.map((row) => Object.assign(row, { total: page.total })) }
  }
  expect(await read(memory)).toEqual(await read(direct))
}

/** Also with the cursors of the page, forward and backward. */
export async function expectSameConnection(
  { memory, direct }: SearchWorld,
  filter: SortedAgentFilter,
  size: number,
): Promise<void> {
  const read = async (reads: AgentReads, page: ConnectionInput) => {
    const { count, ...connection } = await reads.listConnection({ ...filter, ...page })
    return { ...connection, total: await count() }
  }
  const compare = async (page: ConnectionInput) => {
    const found = await read(memory, page)
    expect(found).toEqual(await read(direct, page))
    return found.edges
  }
  const first = await compare({ first: size })
  await compare({ last: size })
  await compare({ first: size, after: first.at(-1)?.cursor })
  await compare({ last: size, before: first.at(-1)?.cursor })
}
