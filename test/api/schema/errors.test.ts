import * as fc from '../../support/property.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import { createAppOfTest, useTestApp } from '../../support/app.ts'
import { insertAgents, keyOf } from '../../support/factories.ts'
import { type GraphQLAnswer, post } from '../../support/graphql.ts'

const t = useTestApp()
beforeAll(() => insertAgents(t.kysely, ['Any']))

const first = ({ errors }: GraphQLAnswer) => ({ message: errors?.[0]?.message, ...errors?.[0]?.extensions })

const KEY = keyOf('nobody')

/** REST and GraphQL throw the same errors. Only the spelling of parameters differs. */
describe('REST and GraphQL refuse the same input', () => {
  test.each([
    ['/agents?limit=0', '{ agentsPage(limit: 0) { total } }', 'INVALID_INTEGER'],
    ['/agents?limit=201', '{ agentsPage(limit: 201) { total } }', 'INVALID_INTEGER'],
    ['/agents?offset=-1', '{ agentsPage(offset: -1) { total } }', 'INVALID_INTEGER'],
    ['/agents?owner=x', '{ agents(filter: {owner: "x"}) { totalCount } }', 'INVALID_PUBKEY'],
    ['/agents?name=', '{ agents(filter: {name: ""}) { totalCount } }', 'INVALID_TEXT'],
    [
      `/agents?name=${'n'.repeat(65)}`,
      `{ agents(filter: {name: "${'n'.repeat(65)}"}) { totalCount } }`,
      'INVALID_TEXT',
    ],
    ['/agents?name=%00', String.raw`{ agents(filter: {name: "\u0000"}) { totalCount } }`, 'INVALID_TEXT'],
    [
      '/agents?min_reputation=-1',
      '{ agents(filter: {minReputation: -1}) { totalCount } }',
      'INVALID_INTEGER',
    ],
    [
      '/agents?max_reputation=1001',
      '{ agents(filter: {maxReputation: 1001}) { totalCount } }',
      'INVALID_INTEGER',
    ],
    [
      '/agents?min_reputation=2&max_reputation=1',
      '{ agents(filter: {minReputation: 2, maxReputation: 1}) { totalCount } }',
      'INVALID_RANGE',
    ],
    ['/agents/x', '{ agent(pda: "x") { pda } }', 'INVALID_PUBKEY'],
    [`/agents/${KEY}`, `{ agent(pda: "${KEY}") { pda } }`, 'AGENT_NOT_FOUND'],
    ['/agents/x/history', '{ agentHistory(pda: "x") { totalCount } }', 'INVALID_PUBKEY'],
    [`/agents/${KEY}/history`, `{ agentHistory(pda: "${KEY}") { totalCount } }`, 'AGENT_NOT_FOUND'],
    [
      `/agents/${KEY}/history?limit=0`,
      `{ agentHistoryPage(pda: "${KEY}", limit: 0) { total } }`,
      'INVALID_INTEGER',
    ],
    ['/stakes?agent_pda=x', '{ stakes(filter: { agentPda: "x" }) { totalCount } }', 'INVALID_PUBKEY'],
    ['/stakes?owner=x', '{ stakes(filter: { owner: "x" }) { totalCount } }', 'INVALID_PUBKEY'],
    ['/stakes?limit=201', '{ stakesPage(limit: 201) { total } }', 'INVALID_INTEGER'],
    ['/stakes/x', '{ stake(pda: "x") { pda } }', 'INVALID_PUBKEY'],
    [`/stakes/${KEY}`, `{ stake(pda: "${KEY}") { pda } }`, 'STAKE_NOT_FOUND'],
  ])('%s is refused in both', async (url, query, code) => {
    const rest = await t.app.inject(url)
    const { error } = rest.json<{ error: string }>()
    const graphql = first(await post(t, query))
    expect(graphql).toMatchObject({ code, status: rest.statusCode })
    const snake = graphql.message?.replace(/[a-z][A-Z]/g, (pair) => `${pair[0]}_${pair[1]?.toLowerCase()}`)
    const unquoted = (text?: string): string | undefined => text?.replaceAll('"', '')
    expect(unquoted(error)).toBe(unquoted(snake))
  })

  test('a nested list has the same limits', async () => {
    expect(first(await post(t, '{ agents { nodes { history(first: 201) { totalCount } } } }'))).toEqual({
      message: 'first must be an integer from 1 to 200, got 201',
      code: 'INVALID_INTEGER',
      status: 400,
    })
  })
})

describe('an invalid request', () => {
  test.each([
    ['syntax', '{ agents { totalCount'],
    ['unknown field', '{ agents { nothing } }'],
    ['unknown enum value', '{ agents(orderBy: { field: AGE }) { totalCount } }'],
    ['text of an enum as its name', '{ agents(orderBy: { field: created_at }) { totalCount } }'],
    ['text in place of a name', '{ agents(orderBy: { field: "NAME" }) { totalCount } }'],
    ['missing argument', '{ agent { pda } }'],
    ['number over 32 bits', '{ agents(first: 99999999999) { totalCount } }'],
  ])('with the mistake %s is 400 with the code INVALID_REQUEST', async (_, query) => {
    const error = first(await post(t, query))
    expect(error.status).toBe(400)
    expect(error.code).toBe('INVALID_REQUEST')
  })

  test.each([
    ['query ($first: Int) { agents(first: $first) { totalCount } }', { first: 'ten' }],
    [
      'query ($filter: AgentFilter) { agents(filter: $filter) { totalCount } }',
      { filter: { colour: 'red' } },
    ],
    ['query ($filter: AgentFilter) { agents(filter: $filter) { totalCount } }', { filter: { tier: 'GOLD' } }],
    [
      'query ($filter: AgentFilter) { agents(filter: $filter) { totalCount } }',
      { filter: { tier: 'basic' } },
    ],
    ['query ($pda: Pubkey!) { agent(pda: $pda) { pda } }', { pda: 7 }],
    ['query ($pda: Pubkey!) { agent(pda: $pda) { pda } }', {}],
  ])('%s with the variables %j is refused', async (query, variables) => {
    const error = first(await post(t, query, variables))
    expect(error).toMatchObject({ code: 'INVALID_REQUEST', status: 400 })
    expect(error.message).toMatch(/Variable/)
  })
})

test('nested pages share one budget, also if variables set their limits', async () => {
  const labels = Array.from({ length: 120 }, (_, i) => `crowd ${i}`)
  await insertAgents(t.kysely, labels)
  const text =
    'query ($n: Int) { agents(first: 101) { nodes { history(first: $n) { pageInfo { endCursor } ...F } } } }' +
    ' fragment F on AgentHistoryConnection { nodes { __typename ...on AgentHistoryEntry { id delta oldValue newValue timestamp agentPda } } }'
  expect(await post(t, text, { n: 198 })).not.toHaveProperty('errors')
  expect(first(await post(t, text, { n: 199 }))).toEqual({
    message: 'The query selects more than 200000 values in nested lists: use lower limits or fewer fields',
    code: 'QUERY_TOO_LARGE',
    status: 400,
  })
})

test('internal errors are masked', async () => {
  const broken = await createAppOfTest()
  await broken.kysely.schema.dropTable('stakes').execute()
  const answer = await post(broken, '{ stakes { totalCount } }')
  expect(first(answer)).toEqual({
    message: 'Internal server error',
    code: 'INTERNAL_SERVER_ERROR',
    status: 500,
  })
  expect(JSON.stringify(answer)).not.toMatch(/relation|stakes"? does|select/)
  const rest = await broken.app.inject('/stakes')
  expect([rest.statusCode, rest.body]).toEqual([
    500,
    '{"error":"Internal server error","details":{"code":"INTERNAL_SERVER_ERROR"}}',
  ])
})

test('no document or variables cause an internal error', async () => {
  const words =
    '{ } ( ) : $v ... on query fragment F @include " """ [ ! agents agent totalCount nodes pda filter name first 0 -1 1e400 null ' +
    '\u0000 __schema __typename history stake Agent mutation subscription'
  const word = fc.constantFrom(...words.split(' '))
  const text = fc.array(word, { maxLength: 20 }).map((words) => words.join(' '))
  const wild = fc.record({ query: text, variables: fc.dictionary(fc.string(), fc.jsonValue()) })
  const listing = fc.record({
    query: fc.constant('query ($f: AgentFilter, $l: Int) { agents(filter: $f, first: $l) { totalCount } }'),
    variables: fc.record({
      f: fc.record({
        name: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
        minReputation: fc.jsonValue(),
      }),
      l: fc.jsonValue(),
    }),
  })
  await fc.assert(
    fc.asyncProperty(fc.oneof(wild, listing), async (payload) => {
      const response = await t.app.inject({ method: 'POST', url: '/graphql', payload })
      expect(response.statusCode).toBeLessThan(500)
      for (const { extensions } of response.json<GraphQLAnswer>().errors ?? []) {
        expect(extensions.status).toBeLessThan(500)
      }
    }),
    { numRuns: 400 },
  )
})
