import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { loadOperators } from '../../../rest/documents/operators.ts'
import { createAppOfTest, useTestApp } from '../../support/app.ts'
import {
  agentRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../support/factories.ts'
import { rowsOfEveryEvent } from '../../support/event-rows.ts'
import { connectV2, toolCall } from '../../support/mcp.ts'
import { type OpenApi, problems } from '../../support/openapi.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples/operations')

const t = useTestApp({ operatorDocuments: loadOperators(EXAMPLES) })
let document: OpenApi
beforeAll(async () => {
  await insertAgents(t.kysely, [
    agentRow('Low', { reputation_score: 10 }),
    agentRow('High', { reputation_score: 900 }),
    agentRow('Gone', { status: 'deactivated' }),
  ])
  await insertStakes(t.kysely, [stakeRow('High', { deposited_amount: '9007199254740993' })])
  document = (await t.app.inject('/openapi.json')).json()
})

/** The documents of a folder with this file. */
function operatorsOf(text: string) {
  const folder = temporaryFolder('operations-')
  writeFileSync(join(folder, 'x.graphql'), text)
  return loadOperators(folder)
}

/** The body of a 2xx response, which fits the OpenAPI document. */
async function get(path: string, url: string): Promise<unknown> {
  const { statusCode, body } = await t.app.inject(url)
  expect([statusCode, body]).toEqual([200, body])
  const media = document.paths[path]!['get']!.responses['200']!.content!['application/json']!
  expect(problems(document, media.schema, JSON.parse(body))).toEqual([])
  return body
}

test('a document of the operator is an endpoint, an OpenAPI entry and a tool', async () => {
  const agents = ['High', 'Low'].map((name) => ({
    pda: keyOf(`agent ${name}`),
    name,
    tier: 'observer',
    reputation: name === 'High' ? 900 : 10,
  }))
  expect(JSON.parse(String(await get('/x/leaderboard', '/x/leaderboard')))).toEqual({ agents })
  const { payload } = await t.app.inject({
    method: 'POST',
    url: '/mcp',
    headers: { accept: 'application/json, text/event-stream' },
    payload: toolCall('leaderboard', { limit: 1 }),
  })
  expect(JSON.parse(payload)).toMatchObject({ result: { structuredContent: { agents: [agents[0]] } } })
  expect(document.paths['/x/leaderboard']!['get']!.parameters!.map(({ name }) => name)).toEqual([
    'category',
    'limit',
    'if-none-match',
  ])
})

test('it has the checks, errors, cache and exact integers of other endpoints', async () => {
  expect(await get('/x/agents/{pda}/profile', `/x/agents/${keyOf('agent High')}/profile`)).toContain(
    '"deposited":9007199254740993',
  )
  const refused = await t.app.inject('/x/leaderboard?limit=0&category=x')
  expect(refused.json()).toMatchObject({ details: { code: 'INVALID_INTEGER', parameter: 'limit' } })
  expect((await t.app.inject('/x/leaderboard?pda=x')).json()).toMatchObject({
    details: { code: 'UNKNOWN_PARAMETER' },
  })
  const missing = await t.app.inject(`/x/agents/${keyOf('nobody')}/profile`)
  expect(missing.json()).toMatchObject({ error: 'Agent not found', details: { code: 'AGENT_NOT_FOUND' } })
})

test('the totals of several fields change with the tables', async () => {
  const totals = async () => JSON.parse(String(await get('/x/totals', '/x/totals'))) as unknown
  expect(await totals()).toEqual({ agents: { total: 3 }, active: { total: 2 }, stakes: { total: 1 } })
  await insertStakes(t.kysely, [stakeRow('Low', {})])
  expect(await totals()).toMatchObject({ stakes: { total: 2 } })
})

test('a nested field is as fresh as the row that it belongs to', async () => {
  const url = `/x/agents/${keyOf('agent Low')}/profile`
  const read = async () =>
    JSON.parse(String(await get('/x/agents/{pda}/profile', url))) as {
      stake: object | null
      history: { changes: object[] }
    }
  expect(await read()).toMatchObject({ stake: { deposited: 600_000_000 }, history: { changes: [] } })
  await sql`update stakes set deposited_amount = 7 where pda = ${keyOf('stake Low')}`.execute(t.kysely)
  expect(await read()).toMatchObject({ stake: { deposited: 7 } })
  await insertHistory(t.kysely, 'Low', [{}])
  expect((await read()).history.changes).toHaveLength(1)
})

test('a list in a query is a repeated parameter, and no value of a variable is an internal error', async () => {
  const text = `
    "Rank" query Rank($tiers: [Tier!], $first: Int) @rest(path: "/x/rank", tag: "Agents") {
      agents(filter: { tiers: $tiers }, first: $first) @model(name: "Rank") { totalCount }
    }
    "One" query One($count: Int! = 3) @rest(path: "/x/one", tag: "Agents") {
      agentsPage(limit: $count) @model(name: "One") { limit }
    }
    "Status" query Status($bytes: Int!) @rest(path: "/x/rent/{bytes}", tag: "Agents") {
      ledger @model(name: "Rent") { rentExemption(bytes: $bytes) }
    }`
  const other = await createAppOfTest({ operatorDocuments: operatorsOf(text) })
  const { app } = other
  expect((await app.inject('/x/rank?tiers=basic&tiers=premium')).json()).toEqual({ totalCount: 0 })
  const refused = async (url: string) => {
    const response = await app.inject(url)
    return [response.statusCode, response.json<{ details: { code: string } }>().details.code]
  }
  expect(await refused('/x/rank?tiers=basic&tiers=gold')).toEqual([400, 'INVALID_ENUM'])
  expect(await refused('/x/rank?first=1&first=2')).toEqual([400, 'REPEATED_PARAMETER'])
  expect(await refused('/x/rank?first=2147483648')).toEqual([400, 'INVALID_INTEGER'])
  expect(await refused('/x/rent/x')).toEqual([400, 'INVALID_INTEGER'])
  expect((await app.inject('/x/rent/10')).statusCode).not.toBe(400)
  expect((await app.inject('/x/one')).json()).toEqual({ limit: 3 })
  expect((await app.inject('/openapi.json')).statusCode).toBe(200)
})

test('a tool refuses what is no list, names its own arguments, and links only to agents with an address', async () => {
  const text = `
    query Tiers($tiers: [Tier!], $who: Pubkey) @tool(title: "Tiers", effect: READ) {
      agents(filter: { tiers: $tiers, owner: $who }) { nodes { name } }
    }
    query Linked @tool(title: "Linked", effect: READ) { agents(first: 1) { nodes { label: name address: pda } } }`
  const other = await createAppOfTest({ listens: true, operatorDocuments: operatorsOf(text) })
  await insertAgents(other.kysely, ['One'])
  const client = await connectV2(other.url)
  const call = (name: string, args: Record<string, unknown> = {}) =>
    client.callTool({ name, arguments: args })
  for (const tiers of ['observer', {}, 5])
    expect(await call('tiers', { tiers })).toMatchObject({ isError: true })
  expect((await call('tiers', { tiers: ['observer'] })).structuredContent).toEqual({
    nodes: [{ name: 'One' }],
  })
  expect((await call('tiers', { who: 'x' })).content).toMatchObject([
    { text: expect.stringContaining('who must be') },
  ])
  expect((await call('tiers')).content).toHaveLength(1)
  const [, link] = (await call('linked')).content
  expect(link).toMatchObject({ uri: `agent://${keyOf('agent One')}`, name: 'One' })
  await client.close()
})

test('a document can select fields of an interface, and other fields of each type', async () => {
  const text = `
    "Node" query OneNode($id: ID!) @rest(path: "/x/nodes/{id}", tag: "Agents") {
      node(id: $id) @model(name: "OneNode") { id }
    }
    "Events" query Events($agent_pda: Pubkey) @rest(path: "/x/events", tag: "Agents") {
      registryEvents(filter: { agentPda: $agent_pda }, first: 20) @model(name: "Events") { nodes {
        kind: __typename id type agent_pda: agentPda
        ...Stakes
        ... on AgentTierUpdatedEvent { new_tier: newTier }
      } }
    }
    fragment Stakes on StakeDepositedEvent { amount }`
  const other = await createAppOfTest({ operatorDocuments: operatorsOf(text) })
  await other.kysely.insertInto('outbox_events').values(rowsOfEveryEvent('One')).execute()
  const pda = keyOf('agent One')
  const response = await other.app.inject(`/x/events?agent_pda=${pda}`)
  const api: OpenApi = (await other.app.inject('/openapi.json')).json()
  const { schema } = api.paths['/x/events']!['get']!.responses['200']!.content!['application/json']!
  expect(problems(api, schema, response.json())).toEqual([])
  expect(response.body).toContain('"amount":18446744073709551615')
  const { nodes } = response.json<{ nodes: { id: string }[] }>()
  expect(nodes).toHaveLength(14)
  expect(nodes.find(({ id }) => id === 'evt_One_3')).toEqual({
    kind: 'AgentTierUpdatedEvent',
    id: 'evt_One_3',
    type: 'agent.tier_updated',
    agent_pda: pda,
    new_tier: 'standard',
  })
  expect(nodes.find(({ id }) => id === 'evt_One_8')).toEqual({
    kind: 'AgentClosedEvent',
    id: 'evt_One_8',
    type: 'agent.closed',
    agent_pda: pda,
  })
  expect((await other.app.inject('/x/nodes/evt_One_3')).json()).toEqual({ id: 'evt_One_3' })
})

test('a request costs the units of all its fields', async () => {
  const limited = await createAppOfTest({
    operatorDocuments: loadOperators(EXAMPLES),
    rateLimits: { reads: 100 },
  })
  await insertAgents(limited.kysely, ['One'])
  const { headers } = await limited.app.inject('/x/leaderboard?limit=200')
  expect(Number(headers['ratelimit-remaining'])).toBeLessThan(98)
})

describe('the start refuses', () => {
  const FIELDS = '{ info { name } }'
  const at = (selection = FIELDS, variables = '') =>
    `"X" query X${variables} @rest(path: "/x/a", tag: "X") ${selection}`
  test.each([
    ['a mutation', '"X" mutation X @rest(path: "/x/a", tag: "X") { endSession { ended } }', 'Only queries'],
    [
      'a path outside of /x/',
      `"X" query X @rest(path: "/agents/top", tag: "X") ${FIELDS}`,
      'must begin with /x/',
    ],
    [
      'the name of a built-in operation',
      `"X" query GetInfo @rest(path: "/x/a", tag: "X") ${FIELDS}`,
      'of this name',
    ],
    [
      'an endpoint without limits',
      `"X" query X @rest(path: "/x/a", tag: "X", exempt: ALL) ${FIELDS}`,
      'can set path',
    ],
    ['another effect', `"X" query X @tool(title: "X", effect: SEND) ${FIELDS}`, 'READ'],
    ['neither endpoint nor tool', `"X" query X ${FIELDS}`, '@rest or @tool'],
    [
      'an expensive query',
      at('{ agents(first: 200) { nodes { history(first: 200) { nodes { oldValue } } } } }'),
      'units',
    ],
    ['a field that the schema lacks', at('{ nothing }'), 'Cannot query field'],
    [
      'two operations of one path',
      `"X" query X @rest(path: "/x/{a}", tag: "X") ${FIELDS} "Y" query Y @rest(path: "/x/{b}", tag: "X") ${FIELDS}`,
      'has the same path',
    ],
    [
      'the name of a built-in tool',
      `"X" query X @tool(name: "list_agents", title: "X", effect: READ) ${FIELDS}`,
      'has the tool list_agents',
    ],
    [
      'a field of the operator, also beside others',
      at('{ viewer { wallet } operator { issuers { did } } }'),
      'Fields of the operator are only at /graphql',
    ],
    ['a list as the body', at('{ webhookEventTypes }'), 'Give the field an alias'],
    [
      'different fields of several types without __typename',
      at('{ node(id: "x") { id ... on Agent { name } } }'),
      'node can have several types. Select __typename too',
    ],
    [
      'an inline fragment of an object without a name',
      at('{ agent(pda: "x") { ... on Agent { pda } } }'),
      'Name this one with @model',
    ],
    [
      'a variable in a fragment',
      'fragment F on Query { agent(pda: $pda) { pda } } "X" query X($pda: Pubkey) @rest(path: "/x/a", tag: "X") { ...F }',
      'x.graphql',
    ],
    [
      'a body of a GET',
      at('{ agents(filter: $f) { totalCount } }', '($f: AgentFilter @body)'),
      '@body needs',
    ],
    [
      'an object in a URL',
      at('{ agents(filter: $f) { totalCount } }', '($f: AgentFilter)'),
      'Use a variable for each member',
    ],
    ['a condition', at('{ info { name @include(if: false) } }'), '@include and @skip'],
    [
      'a path that no URL can have',
      `"X" query X @rest(path: "/x/../agents/top", tag: "X") ${FIELDS}`,
      'made of /name',
    ],
    [
      'a status of an error',
      `"X" query X @rest(path: "/x/a", tag: "X", status: 404) ${FIELDS}`,
      '200 to 299',
    ],
    [
      'a name of a tool that clients refuse',
      `"X" query X @tool(name: "bad name!", title: "X", effect: READ) ${FIELDS}`,
      'snake_case',
    ],
    ['a name in lower case', `"X" query x @rest(path: "/x/a", tag: "X") ${FIELDS}`, 'upper-case'],
    ['two objects of one name', at('{ agent(pda: "x") { pda } }'), 'Name this one with @model'],
    [
      'two members of one name',
      at('{ info @model(name: "I") { name @as(name: "a") version @as(name: "a") } }'),
      'Two members',
    ],
    ['a syntax error', '"X" query X @rest(', 'Syntax Error'],
  ])('%s', (_, text, problem) => {
    expect(() => operatorsOf(text)).toThrow(problem)
    expect(() => operatorsOf(text)).toThrow(/x\.graphql:1:\d+/)
  })
})
