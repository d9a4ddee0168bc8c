import * as fc from '../../support/property.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createTestApp, type TestApp } from '../../support/app.ts'
import { agentRow, insertAgents, keyOf } from '../../support/factories.ts'
import { type GraphQLAnswer, post } from '../../support/graphql.ts'

let t: TestApp
beforeAll(async () => {
  t = await createTestApp()
  await insertAgents(t.kysely, [agentRow('Any')])
})
afterAll(() => t.close())

const first = ({ errors }: GraphQLAnswer) => ({ message: errors?.[0]?.message, ...errors?.[0]?.extensions })

const KEY = keyOf('nobody')

/** REST and GraphQL throw the same errors. Only the spelling of parameters differs. */
describe('REST and GraphQL refuse the same input', () => {
  test.each([
    ['/agents?limit=0', '{ agents(limit: 0) { total } }', 'INVALID_INTEGER'],
    ['/agents?limit=201', '{ agents(limit: 201) { total } }', 'INVALID_INTEGER'],
    ['/agents?offset=-1', '{ agents(offset: -1) { total } }', 'INVALID_INTEGER'],
    ['/agents?owner=x', '{ agents(filter: {owner: "x"}) { total } }', 'INVALID_PUBKEY'],
    ['/agents?name=', '{ agents(filter: {name: ""}) { total } }', 'INVALID_TEXT'],
    [
      `/agents?name=${'n'.repeat(65)}`,
      `{ agents(filter: {name: "${'n'.repeat(65)}"}) { total } }`,
      'INVALID_TEXT',
    ],
    ['/agents?name=%00', String.raw`{ agents(filter: {name: "\u0000"}) { total } }`, 'INVALID_TEXT'],
    ['/agents?min_reputation=-1', '{ agents(filter: {minReputation: -1}) { total } }', 'INVALID_INTEGER'],
    ['/agents?max_reputation=1001', '{ agents(filter: {maxReputation: 1001}) { total } }', 'INVALID_INTEGER'],
    [
      '/agents?min_reputation=2&max_reputation=1',
      '{ agents(filter: {minReputation: 2, maxReputation: 1}) { total } }',
      'INVALID_RANGE',
    ],
    ['/agents/x', '{ agent(pda: "x") { pda } }', 'INVALID_PUBKEY'],
    [`/agents/${KEY}`, `{ agent(pda: "${KEY}") { pda } }`, 'AGENT_NOT_FOUND'],
    ['/agents/x/history', '{ agentHistory(pda: "x") { total } }', 'INVALID_PUBKEY'],
    [`/agents/${KEY}/history`, `{ agentHistory(pda: "${KEY}") { total } }`, 'AGENT_NOT_FOUND'],
    [
      `/agents/${KEY}/history?limit=0`,
      `{ agentHistory(pda: "${KEY}", limit: 0) { total } }`,
      'INVALID_INTEGER',
    ],
    ['/stakes?agent_pda=x', '{ stakes(agentPda: "x") { total } }', 'INVALID_PUBKEY'],
    ['/stakes?owner=x', '{ stakes(owner: "x") { total } }', 'INVALID_PUBKEY'],
    ['/stakes?limit=201', '{ stakes(limit: 201) { total } }', 'INVALID_INTEGER'],
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
    expect(first(await post(t, '{ agents { agents { history(limit: 201) { total } } } }'))).toEqual({
      message: 'limit must be an integer from 1 to 200, got 201',
      code: 'INVALID_INTEGER',
      status: 400,
    })
  })
})

describe('an invalid request', () => {
  test.each([
    ['syntax', '{ agents { total'],
    ['unknown field', '{ agents { nothing } }'],
    ['unknown enum value', '{ agents(sort: age) { total } }'],
    ['missing argument', '{ agent { pda } }'],
    ['number over 32 bits', '{ agents(limit: 99999999999) { total } }'],
  ])('with the mistake %s is 400 with the code INVALID_REQUEST', async (_, query) => {
    const error = first(await post(t, query))
    expect(error.status).toBe(400)
    expect(error.code).toBe('INVALID_REQUEST')
  })

  test.each([
    ['query ($limit: Int) { agents(limit: $limit) { total } }', { limit: 'ten' }],
    ['query ($filter: AgentFilter) { agents(filter: $filter) { total } }', { filter: { colour: 'red' } }],
    ['query ($filter: AgentFilter) { agents(filter: $filter) { total } }', { filter: { tier: 'gold' } }],
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
  await insertAgents(
    t.kysely,
    labels.map((label) => agentRow(label)),
  )
  const text =
    'query ($n: Int) { agents(limit: 101) { agents { history(limit: $n) { total limit ...F } } } }' +
    ' fragment F on AgentHistoryPage { offset history { __typename ...on AgentHistoryEntry { delta oldValue newValue timestamp agentPda } } }'
  expect(await post(t, text, { n: 198 })).not.toHaveProperty('errors')
  expect(first(await post(t, text, { n: 199 }))).toEqual({
    message: 'The query selects more than 200000 values in nested lists: use lower limits or fewer fields',
    code: 'QUERY_TOO_LARGE',
    status: 400,
  })
})

test('internal errors are masked', async () => {
  const broken = await createTestApp()
  try {
    await broken.kysely.schema.dropTable('stakes').execute()
    const answer = await post(broken, '{ stakes { total } }')
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
  } finally {
    await broken.close()
  }
})

test('no document or variables cause an internal error', async () => {
  const words =
    '{ } ( ) : $v ... on query fragment F @include " """ [ ! agents agent total pda filter name limit 0 -1 1e400 null ' +
    '\u0000 __schema __typename history stake Agent mutation subscription'
  const word = fc.constantFrom(...words.split(' '))
  const text = fc.array(word, { maxLength: 20 }).map((words) => words.join(' '))
  const wild = fc.record({ query: text, variables: fc.dictionary(fc.string(), fc.jsonValue()) })
  const listing = fc.record({
    query: fc.constant('query ($f: AgentFilter, $l: Int) { agents(filter: $f, limit: $l) { total } }'),
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
