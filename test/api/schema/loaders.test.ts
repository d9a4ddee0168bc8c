import { sql } from 'kysely'
import type { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { databaseReader } from '../../../src/registry/registry.ts'
import { useTestApp } from '../../support/app.ts'
import { insertAgents, insertHistory, insertStakes, keyOf } from '../../support/factories.ts'
import { query } from '../../support/graphql.ts'
import { recordStatements } from '../../support/statements.ts'

const LABELS = Array.from({ length: 50 }, (_, i) => `agent number ${i}`)

const statements = recordStatements()
const t = useTestApp({ registry: databaseReader })
let name: unknown
/** The number of statements for this database. Other test files may use other databases. */
const asked = (): number =>
  statements.mock.contexts.filter((each) => (each as Client & { database?: unknown }).database === name)
    .length
beforeAll(async () => {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(t.kysely)
  name = rows[0]?.name
  await insertAgents(t.kysely, LABELS)
  await insertStakes(t.kysely, LABELS.slice(1))
  for (const [i, label] of LABELS.entries()) {
    await insertHistory(
      t.kysely,
      label,
      Array.from({ length: i % 4 }, () => ({})),
    )
  }
})

interface Data {
  agents: {
    nodes: {
      pda: string
      stake: { pda: string; agent: { pda: string } } | null
      history: { totalCount: number; nodes: { agentPda: string }[] }
    }[]
  }
}

test('50 agents with stakes and history need three statements, and each agent gets its own rows', async () => {
  const { agents } = await query<Data>(
    t,
    `{ agents { nodes { pda stake { pda } history(first: 2) { nodes { agentPda } } } } }`,
  )
  expect(asked()).toBe(3)
  expect(agents.nodes).toHaveLength(50)
  const byPda = new Map(agents.nodes.map((agent) => [agent.pda, agent]))
  for (const [i, label] of LABELS.entries()) {
    const agent = byPda.get(keyOf(`agent ${label}`))
    expect(agent?.stake?.pda).toBe(i === 0 ? undefined : keyOf(`stake ${label}`))
    expect(agent?.history.nodes).toEqual(
      Array.from({ length: Math.min(2, i % 4) }, () => ({ agentPda: agent?.pda })),
    )
  }
})

test('the entries of a history are counted only if totalCount is selected, once for each agent', async () => {
  const { agents } = await query<Data>(t, `{ agents { nodes { pda history(first: 2) { totalCount } } } }`)
  expect(asked()).toBe(2 + 50)
  const counts = new Map(agents.nodes.map(({ pda, history }) => [pda, history.totalCount]))
  for (const [i, label] of LABELS.entries()) expect(counts.get(keyOf(`agent ${label}`))).toBe(i % 4)
  statements.mockClear()
  await query(t, `{ agents(first: 1) { nodes { history { a: totalCount b: totalCount } } } }`)
  expect(asked()).toBe(3)
})

test('for any number of agents, credentials and cards need one statement each, and DIDs none', async () => {
  const fields = 'pda owner did credentials { totalCount nodes { type } } card { state name skills { id } }'
  const statementsFor = async (first: number): Promise<number> => {
    statements.mockClear()
    const data = await query<{ agents: { nodes: { owner: string; did: string; card: unknown }[] } }>(
      t,
      `{ agents(first: ${first}) { nodes { ${fields} } } }`,
    )
    expect(data.agents.nodes).toHaveLength(first)
    for (const { owner, did } of data.agents.nodes) expect(did).toBe(`did:sol:${owner}`)
    return asked()
  }
  // The first read of credentials also reads the trusted issuers, which are then cached.
  expect(await statementsFor(1)).toBe(4)
  expect(await statementsFor(50)).toBe(3)
  expect(await statementsFor(1)).toBe(3)
})

test('one agent needs the same statements as 50, and so do 50 stakes with their agents', async () => {
  await query(t, `{ agents(first: 1) { nodes { stake { pda } history { nodes { newValue } } } } }`)
  expect(asked()).toBe(3)
  statements.mockClear()
  await query(t, `{ stakes { nodes { agent { pda name } } } }`)
  expect(asked()).toBe(2)
})

test('each different query of histories needs one more statement, at any nesting level', async () => {
  await query(
    t,
    `{ agents { nodes {
      history { nodes { newValue } }
      tiers: history(filter: { eventType: TIER_UPDATED }) { nodes { newValue } }
      stake { agent { history { nodes { newValue } } } }
    } } }`,
  )
  // Agents, two histories, stakes, agents by key. The inner histories are already loaded.
  expect(asked()).toBe(5)
})

test('the agent of a stake whose agent was closed is null', async () => {
  await insertStakes(t.kysely, ['closed'])
  const { stake } = await query<{ stake: { agent: null } }>(
    t,
    'query ($pda: Pubkey!) { stake(pda: $pda) { agent { pda } } }',
    { pda: keyOf('stake closed') },
  )
  expect(stake.agent).toBeNull()
})
