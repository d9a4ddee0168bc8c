import { type Kysely, sql } from 'kysely'
import type { Client } from 'pg'
import { expect } from 'vitest'
import { type AgentReads, createAgentReads } from '../../src/registry/agents/agent-reads.ts'
import { createRegistryReads, type RegistryReads } from '../../src/registry/agents/registry-reads.ts'
import type { Database } from '../../src/db/database.ts'
import type { Orm } from '../../src/db/orm-types.ts'
import { openSession } from '../../src/db/session.ts'
import type { ConnectionInput } from '../../src/domain/connection.ts'
import type { Registry, RegistryReader } from '../../src/registry/registry.ts'
import { createStakeReads, STAKE_SORTS, type StakeReads } from '../../src/registry/stake-reads.ts'
import {
  agentRow,
  insertAgents,
  insertStakes,
  keyOf,
  type NewAgent,
  type NewStake,
  stakeRow,
} from './factories.ts'
import { countReads, createTestRegistry } from './registry.ts'
import { agentChanges, listFilters, optional, searchTexts } from './search-cases.ts'
import * as fc from './property.ts'

/** Reads of agents and stakes, from memory or from PostgreSQL. */
interface Reads {
  readonly agents: AgentReads
  readonly stakes: StakeReads
  readonly registry: RegistryReads
}

export interface RegistryWorld {
  readonly kysely: Kysely<Database>
  readonly registry: Registry
  readonly memory: Reads
  readonly database: Reads
  /** Reads that memory answered, and all of them. */
  readonly counts: { memory: number; all: number }
  /** Compares what both sides answer. */
  compare(read: Read): Promise<void>
  write(write: Write): Promise<void>
  /** Ends open transactions. */
  close(): Promise<void>
}

const LABELS = Array.from({ length: 60 }, (_, i) => `agent ${i}`)
const labels = fc.constantFrom(...LABELS)
/** Few owners, so that some have several agents. */
const owners = fc.constantFrom('owner 1', 'owner 2', 'owner 3').map(keyOf)
const amounts = fc.constantFrom('0', '7', '10', '600000000', '18446744073709551615')

/** Few conditions, so that most pages have rows. */
const agentFilters = fc
  .tuple(
    listFilters(fc.oneof({ weight: 3, arbitrary: owners }, fc.constant(keyOf('nobody')))),
    searchTexts,
    fc.subarray(
      [
        'search',
        'owner',
        'tier',
        'tiers',
        'status',
        'statuses',
        'category',
        'categories',
        'minReputation',
        'maxReputation',
        'includeMismatched',
        'search',
      ],
      { maxLength: 3 },
    ),
  )
  .map(([filter, search, kept]) =>
    Object.assign(
      Object.fromEntries(
        Object.entries(filter).filter(([name]) => ['sort', 'order', ...kept].includes(name)),
      ),
      kept.includes('search') ? search : {},
    ),
  )
const stakeFilters = fc.record({
  owner: optional(owners),
  agentPda: optional(labels.map((label) => keyOf(`agent ${label}`))),
  sort: optional(fc.constantFrom(...STAKE_SORTS)),
  order: optional(fc.constantFrom('asc' as const, 'desc' as const)),
})
const pages = fc.record({
  limit: optional(fc.integer({ min: 1, max: 20 })),
  offset: optional(fc.integer({ min: 0, max: 40 })),
})
const sizes = fc.integer({ min: 1, max: 12 })
/** Those at which agents were registered, beside them, and far away. */
const times = fc.constantFrom(
  '2026-11-01T00:00:00.000Z',
  '2026-11-01T00:00:00.001Z',
  '2026-11-01T12:00:00.000Z',
  '2026-11-02T00:00:00.000Z',
  '2026-11-02T00:00:00.001Z',
  '-200000-01-01T00:00:00.000Z',
  '+200000-01-01T00:00:00.000Z',
)
const prefixes = fc.constantFrom('w', 'WE', 'weather', 'Почта', 'i', 'I', 'x', 'a1', '--', '9')

type ListFilter = Parameters<AgentReads['list']>[0]
export type Read =
  | { kind: 'agents'; filter: ListFilter; page: object }
  | { kind: 'agentsConnection'; filter: ListFilter; size: number }
  | { kind: 'agent'; label: string }
  | { kind: 'owner'; owner: string }
  | { kind: 'suggest'; prefix: string; limit: number }
  | { kind: 'stats' }
  | { kind: 'growth'; times: string[] }
  | { kind: 'stakes'; filter: object; page: object }
  | { kind: 'stakesConnection'; filter: object; size: number }
  | { kind: 'found'; labels: string[] }

const kind = <Kind extends string>(name: Kind) => fc.constant(name)
const reads: fc.Arbitrary<Read> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: kind('agents'), filter: agentFilters, page: pages }) },
  { weight: 6, arbitrary: fc.record({ kind: kind('agentsConnection'), filter: agentFilters, size: sizes }) },
  fc.record({ kind: kind('agent'), label: labels }),
  fc.record({ kind: kind('owner'), owner: owners }),
  { weight: 2, arbitrary: fc.record({ kind: kind('suggest'), prefix: prefixes, limit: sizes }) },
  fc.record({ kind: kind('stats') }),
  fc.record({ kind: kind('growth'), times: fc.array(times, { minLength: 1, maxLength: 5 }) }),
  { weight: 2, arbitrary: fc.record({ kind: kind('stakes'), filter: stakeFilters, page: pages }) },
  { weight: 2, arbitrary: fc.record({ kind: kind('stakesConnection'), filter: stakeFilters, size: sizes }) },
  fc.record({ kind: kind('found'), labels: fc.array(labels, { maxLength: 6 }) }),
)

/**
 * Changes of one transaction. `open` leaves it open until a later write ends it. `revert` restores
 * rows of the beginning, as after a fork of the ledger.
 */
type Write =
  | { kind: 'commit' | 'abort' | 'open' | 'savepoint'; changes: Change[] }
  | { kind: 'end'; commits: boolean }
  | { kind: 'many' | 'revert'; label: string }

type Change =
  | { kind: 'putAgent'; label: string; owner: string; changes: Partial<NewAgent> }
  | { kind: 'putStake'; label: string; owner: string; amount: string }
  | { kind: 'close' | 'reinsert' | 'closeStake' | 'rename'; label: string }

const changes = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: kind('putAgent'),
      label: labels,
      owner: owners,
      changes: agentChanges,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: kind('putStake'), label: labels, owner: owners, amount: amounts }),
  },
  fc.record({ kind: fc.constantFrom('close', 'reinsert', 'closeStake', 'rename'), label: labels }),
) as fc.Arbitrary<Change>
export const writes: fc.Arbitrary<Write> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('commit', 'commit', 'abort', 'open', 'savepoint'),
      changes: fc.array(changes, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: kind('end'), commits: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('many', 'revert'), label: labels }) },
) as fc.Arbitrary<Write>

const TABLES = ['agents', 'stakes'] as const

const upsert = (table: string, row: NewAgent | NewStake): [string, unknown[]] => {
  const names = Object.keys(row)
  const values = names.map((_, i) => `$${i + 1}`)
  const updates = names.map((name) => `${name} = excluded.${name}`)
  const text = `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})
    on conflict (pda) do update set ${updates.join(', ')}`
  return [text, Object.values(row)]
}

async function apply(client: Client, change: Change): Promise<void> {
  const { label } = change
  const pda = keyOf(`agent ${label}`)
  if (change.kind === 'putAgent') {
    const row = { ...agentRow(label), ...change.changes, owner: change.owner }
    await client.query(...upsert('agents', row))
  } else if (change.kind === 'putStake')
    await client.query(
      ...upsert('stakes', stakeRow(label, { owner: change.owner, deposited_amount: change.amount })),
    )
  else if (change.kind === 'closeStake') await client.query('delete from stakes where agent_pda = $1', [pda])
  else if (change.kind === 'rename')
    await client.query('update agents set pda = $2 where pda = $1', [pda, keyOf(`renamed ${label}`)])
  else await client.query('delete from agents where pda = $1', [pda])
  if (change.kind === 'reinsert')
    await client.query(...upsert('agents', agentRow(label, { name: 'Reinserted' })))
}

/** A database with agents and stakes, also of equal names and owners. */
export async function createFilledWorld({ orm }: { readonly orm: Orm }): Promise<RegistryWorld> {
  const agents = fc.sample(agentChanges, { seed: 9, numRuns: 50 })
  const ownerOf = (i: number) => keyOf(`owner ${i % 9}`)
  const kysely = orm.em.getKysely()
  await insertAgents(
    kysely,
    agents.map((values, i) => ({ ...agentRow(`agent ${i}`), ...values, owner: ownerOf(i) })),
  )
  await insertStakes(
    kysely,
    agents.slice(0, 30).map((_, i) => stakeRow(`agent ${i}`, { owner: ownerOf(i) })),
  )
  for (const table of TABLES) await sql.raw(`create table first_${table} as table ${table}`).execute(kysely)
  return createRegistryWorld({ orm })
}

/** A random part of the rows: those above a key. */
async function revert(client: Client, label: string): Promise<void> {
  const above = [keyOf(label)]
  for (const table of TABLES) {
    await client.query(
      `delete from ${table} where pda in (select pda from (table ${table} except table first_${table}) as changed where pda > $1)`,
      above,
    )
    await client.query(
      `insert into ${table} select * from first_${table} where pda > $1 on conflict do nothing`,
      above,
    )
  }
}

const steps = fc.array(fc.tuple(writes, fc.array(reads, { minLength: 1, maxLength: 5 })), {
  minLength: 4,
  maxLength: 12,
})

/** Compares reads after each of many writes. */
export async function compareMany(world: RegistryWorld, runs: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(steps, async (given) => {
      for (const [write, after] of given) {
        await world.write(write)
        for (const read of after) await world.compare(read)
      }
    }),
    // Each run continues from the state of the last one, so shrinking is useless.
    { numRuns: runs, endOnFailure: true },
  )
}

export async function createRegistryWorld({ orm }: { readonly orm: Orm }): Promise<RegistryWorld> {
  const registry = await createTestRegistry({ orm }, { minNames: 0, fewRows: 0 })
  const counted = countReads(registry)
  const kysely = orm.em.getKysely()
  const reader = orm.em.getKysely()
  const sideOf = (registryReader?: RegistryReader): Reads => ({
    agents: createAgentReads(reader, { registry: registryReader }),
    stakes: createStakeReads(reader, registryReader),
    registry: createRegistryReads(reader, registryReader),
  })
  const memory = sideOf(counted)
  const database = sideOf()
  const open: Client[] = []
  const end = async (client: Client, text: 'commit' | 'rollback'): Promise<void> => {
    await client.query(text)
    await client.end()
  }
  return {
    kysely,
    registry,
    memory,
    database,
    counts: counted.counts,
    compare: async (read) => {
      const expected = await answer(database, read)
      expect(await answer(memory, read)).toEqual(expected)
    },
    write: async (write) => {
      if (write.kind === 'end') {
        const client = open.shift()
        if (client !== undefined) await end(client, write.commits ? 'commit' : 'rollback')
        return
      }
      const client = await openSession(orm)
      // Another open transaction may have locked a row.
      await client.query('begin; set local lock_timeout = 20')
      try {
        if (write.kind === 'revert') await revert(client, write.label)
        const all = 'changes' in write ? write.changes : write.kind === 'many' ? manyChanges(write.label) : []
        for (const [i, change] of all.entries()) {
          if (write.kind === 'savepoint') await client.query(`savepoint s${i}`)
          await apply(client, change)
          if (write.kind === 'savepoint' && i % 2 === 1) await client.query(`rollback to savepoint s${i}`)
        }
      } catch {
        await end(client, 'rollback')
        return
      }
      if (write.kind !== 'open') return end(client, write.kind === 'abort' ? 'rollback' : 'commit')
      open.push(client)
      // A server that stops aborts it.
      client.once('end', () => open.includes(client) && open.splice(open.indexOf(client), 1))
      if (open.length > 3) await end(open.shift()!, 'commit')
    },
    close: async () => {
      for (const client of open) await end(client, 'rollback')
      await registry.stop()
    },
  }
}

/** More changes than a read applies. */
const manyChanges = (version: string): Change[] =>
  Array.from({ length: 130 }, (_, i) => ({
    kind: 'putAgent',
    label: `one of many ${i}`,
    owner: keyOf('owner 1'),
    changes: { version },
  }))

/** What a read shows, without what a page of PostgreSQL has in addition. */
async function answer({ agents, stakes, registry }: Reads, read: Read): Promise<unknown> {
  switch (read.kind) {
    case 'agents':
      return pageOf(await agents.list({ ...read.filter, ...read.page }))
    case 'agentsConnection':
      return connections((page) => agents.listConnection({ ...read.filter, ...page }), read.size)
    case 'agent':
      return agents.lookUp(keyOf(`agent ${read.label}`))
    case 'owner':
      return agents.findByOwner(read.owner)
    case 'suggest':
      return agents.suggest({ prefix: read.prefix, limit: read.limit })
    case 'stats':
      return Promise.all([registry.stats(true), registry.stats(false), registry.reputation()])
    case 'growth':
      return Promise.all([registry.growth(read.times), registry.stake(read.times)])
    case 'stakes':
      return pageOf(await stakes.list({ ...read.filter, ...read.page }))
    case 'stakesConnection':
      return connections((page) => stakes.listConnection({ ...read.filter, ...page }), read.size)
    default:
      return Promise.all(
        [
          agents.find(read.labels.map((label) => keyOf(`agent ${label}`))),
          stakes.find(read.labels.map((label) => keyOf(`stake ${label}`))),
          stakes.findByAgents(read.labels.map((label) => keyOf(`agent ${label}`))),
        ].map(async (rows) => (await rows).toSorted((one, other) => (one.pda < other.pda ? -1 : 1))),
      )
  }
}

function pageOf({ rows, ...page }: { rows: object[]; total: number }): unknown {
  return { ...page, rows: rows.map((row) => ({ ...row, total: undefined })) }
}

/** The first and the last page, and pages between cursors. */
async function connections(
  read: (
    page: ConnectionInput,
  ) => ReturnType<AgentReads['listConnection']> | ReturnType<StakeReads['listConnection']>,
  size: number,
): Promise<unknown> {
  const pages: unknown[] = []
  const add = async (page: ConnectionInput) => {
    const { count, ...connection } = await read(page)
    pages.push({ ...connection, total: await count() })
    return connection.edges
  }
  const first = await add({ first: size })
  const last = await add({ last: size })
  const [after, before] = [first.at(-1)?.cursor, last[0]?.cursor]
  await add({ first: size, after })
  await add({ last: size, before })
  await add({ first: size, after: first[0]?.cursor, before })
  await add({ last: size, after, before })
  return pages
}
