import { createHash } from 'node:crypto'
import * as fc from '../../../support/property.ts'
import {
  execute,
  getNamedType,
  type GraphQLScalarType,
  isEnumType,
  isObjectType,
  isScalarType,
  parse,
  validate,
} from 'graphql'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  canCompile,
  COMPILED_FIELDS,
  CompiledQueries,
  compileQueryOf,
} from '../../../../rest/graphql/compiled-queries.ts'
import { createGraphQLContext } from '../../../../schema/context.ts'
import { schema } from '../../../../schema/index.ts'
import { nodeId } from '../../../../schema/node.ts'
import { schemaToCompile } from '../../../../schema/variants.ts'
import {
  RATE_LIMIT_KINDS,
  type RateLimitKind,
  type RateLimitNumbers,
} from '../../../../src/platform/rate-limits/rate-limits.ts'
import { createTestApp, FIXED_NOW, type TestApp, useTestApp } from '../../../support/app.ts'
import {
  agentRow,
  credentialRow,
  insertAgents,
  insertHistory,
  insertStakes,
  keyOf,
  stakeRow,
} from '../../../support/factories.ts'
import { rowsOfEveryEvent } from '../../../support/event-rows.ts'
import { randomQueries } from '../../../support/random-query.ts'

const LABELS = ['Weather Scout', 'Weather Bot', 'Trader']
const PDA = keyOf('agent Trader')
const JSON_BODY = { 'content-type': 'application/json' }
const RUNS = Number(process.env.RANDOM_QUERIES ?? 100)

const t = useTestApp()
beforeAll(async () => {
  await insertAgents(t.kysely, [
    ...LABELS.map((label, i) =>
      agentRow(label, { reputation_score: 250 * i, tier: i === 1 ? 'basic' : 'observer' }),
    ),
    agentRow('Mismatched', { card_hash_mismatch: true }),
  ])
  await insertStakes(t.kysely, [stakeRow('Trader', { deposited_amount: '18446744073709551615' })])
  await insertHistory(t.kysely, 'Trader', [
    {},
    { event_type: 'tier_updated', old_value: 'observer', new_value: 'basic', delta: null },
    { event_type: 'status_changed', old_value: 'active', new_value: 'suspended', delta: null },
  ])
  await t.kysely.insertInto('outbox_events').values(rowsOfEveryEvent('Trader')).execute()
  await t.kysely.insertInto('agent_credentials').values(credentialRow('Trader')).execute()
})

/** Arguments by type and by name: valid ones, and ones that services or scalars refuse. */
const VALUES = {
  Pubkey: [PDA, PDA, keyOf('agent Weather Bot'), keyOf('owner Trader'), keyOf('nobody'), 'x', 7],
  Int: [1, 2, 3, 50, 0, -1, 201, 2_147_483_647, 2_147_483_648, '1', 1.5],
  String: ['Weather', 'T', '', 'x'.repeat(65), 'not a cursor', 3],
  Boolean: [true, false, 'true'],
  Float: [1, 1.5, 'x'],
  ID: [
    nodeId('Agent', PDA),
    nodeId('Stake', keyOf('stake Trader')),
    nodeId('Agent', keyOf('nobody')),
    'x',
    1,
  ],
  U64: ['5', '0', 5, '-1', '18446744073709551616', 1.5],
  did: [`did:sol:${keyOf('owner Trader')}`, `did:sol:${keyOf('nobody')}`, 'did:sol:x'],
  name: ['Wether', 'Trader', ''],
  prefix: ['wea', 'T', '', 4],
}

const contextOf = () => createGraphQLContext(t.services, { clientIp: '192.0.2.1', count: () => undefined })

describe('a compiled query', () => {
  test('writes the name of each enum value, like graphql-js', () => {
    const enums = Object.values(schema.getTypeMap()).filter(isEnumType)
    const given = enums.filter(({ name }) => !name.startsWith('__'))
    expect(given.flatMap((type) => type.getValues()).length).toBeGreaterThan(100)
    const compiled = schemaToCompile()
    const writers = new Map<string, GraphQLScalarType>()
    for (const type of Object.values(compiled.getTypeMap()).filter(isObjectType))
      for (const field of Object.values(type.getFields())) {
        const named = getNamedType(field.type)
        expect(isEnumType(named) && !named.name.startsWith('__')).toBe(false)
        if (isScalarType(named)) writers.set(named.name, named)
      }
    const written = given.filter(({ name }) => writers.has(name))
    expect(written.length).toBeGreaterThan(20)
    for (const type of written)
      for (const { name, value } of type.getValues())
        expect(writers.get(type.name)!.coerceOutputValue(value)).toBe(name)
  })

  test('has the results of graphql-js, and none if there are errors', async () => {
    const counts = { results: 0, errors: 0, refused: 0 }
    const same = fc.asyncProperty(randomQueries(COMPILED_FIELDS, VALUES), async ({ query, variables }) => {
      const document = parse(query)
      if (validate(schema, document).length > 0 || !canCompile(query, document)) {
        counts.refused += 1
        return
      }
      const expected = await execute({
        schema,
        document,
        variableValues: variables,
        contextValue: contextOf(),
      })
      const text = await compileQueryOf(document)!.run(contextOf(), variables)
      counts[expected.errors === undefined ? 'results' : 'errors'] += 1
      // As text, because clients see the order of fields.
      expect(text).toBe(expected.errors === undefined ? JSON.stringify(expected) : null)
    })
    await fc.assert(same, { numRuns: RUNS })
    expect(counts.results).toBeGreaterThan(RUNS / 8)
    expect(counts.errors).toBeGreaterThan(RUNS / 8)
  })
})

test.each([
  ['{ agent { ...G stake { lockedAmount } } }'],
  ['{ agent { stake { lockedAmount } ...G } }'],
  ['{ __typename ... on AgentRegisteredEvent { name agent { stake { lockedAmount } ...G } } agent { pda } }'],
])('a compiled fragment is merged with other fields of an interface: %s', async (nodes) => {
  const query = `{ agent(pda: "${PDA}") { ...G } registryEvents(first: 30) { nodes ${nodes} } }
    fragment G on Agent { stake { pda } }`
  const document = parse(query)
  const expected = await execute({ schema, document, contextValue: contextOf() })
  expect(expected.errors).toBeUndefined()
  expect(await compileQueryOf(document)!.run(contextOf(), {})).toBe(JSON.stringify(expected))
})

/** Two apps on one database. Only the first has compiled queries. */
describe('a query that is used often is answered as before', () => {
  const slow = useTestApp(() => ({
    executor: 'execute',
    database: t.database,
    clock: { now: () => FIXED_NOW },
  }))
  beforeAll(async () => {
    await warmUp({ query: AGENT, variables: { pda: PDA } })
    await warmUp({ query: LIST })
  })

  const AGENT =
    'query Agent($pda: Pubkey!) { agent(pda: $pda) { name capabilities createdAt stake { depositedAmount } } }'
  const LIST =
    '{ agents(first: 2, orderBy: { field: NAME }) { totalCount nodes { pda name tier history { nodes { type: eventType } } } } }'

  const WIDE = '{ agents(first: 200) { nodes { pda owner name stake { pda depositedAmount } } } }'

  const ask = async ({ app }: TestApp, payload: object | string, headers: Record<string, string> = {}) => {
    const response = await app.inject({
      method: 'POST',
      url: '/graphql',
      payload,
      headers: { ...JSON_BODY, ...headers },
    })
    const { date: _date, 'x-request-id': _id, ...rest } = response.headers
    return { status: response.statusCode, headers: rest, body: response.body }
  }
  const compiledAnswers = async (): Promise<number> =>
    Number(/^gateway_graphql_compiled_total (\d+)$/m.exec((await t.app.inject('/metrics')).body)![1])

  /**
   * Sends it until it is compiled, which may be once in ten queries, and its Accept header known.
   */
  async function warmUp(payload: object, headers?: Record<string, string>): Promise<void> {
    for (let i = 0; i < 12; i++) await ask(t, payload, headers)
  }

  test.each([
    [undefined],
    ['*/*'],
    ['application/json'],
    ['application/graphql-response+json'],
    ['application/graphql-response+json, application/json;q=0.9'],
    [
      'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    ],
    ['text/html, application/json'],
  ])('for Accept %s', async (accept) => {
    const headers = accept === undefined ? undefined : { accept }
    const payload = { query: AGENT, variables: { pda: PDA } }
    await warmUp(payload, headers)
    const before = await compiledAnswers()
    const answer = await ask(t, payload, headers)
    expect(await compiledAnswers()).toBe(before + 1)
    expect(answer).toEqual(await ask(slow, payload, headers))
    expect(answer.status).toBe(200)
  })

  test.each<[string, object | string, Record<string, string>?]>([
    ['an agent that does not exist', { query: AGENT, variables: { pda: keyOf('nobody') } }],
    ['a value that a service refuses', { query: AGENT, variables: { pda: 'x' } }],
    ['a value that a scalar refuses', { query: AGENT, variables: { pda: 7 } }],
    ['an unknown variable', { query: AGENT, variables: { pda: PDA, more: 1 } }],
    ['variables that are a list', { query: AGENT, variables: [1] }],
    ['variables that are null', { query: AGENT, variables: null }],
    ['the name of the operation', { query: AGENT, variables: { pda: PDA }, operationName: 'Agent' }],
    ['another operation', { query: AGENT, operationName: 'Other' }],
    ['an empty name of the operation', { query: AGENT, operationName: '' }],
    ['an unknown member', { query: AGENT, id: 1 }],
    ['extensions', { query: AGENT, variables: { pda: PDA }, extensions: { trace: true } }],
    ['extensions that are text', { query: AGENT, extensions: 'x' }],
    [
      'a hash of another document',
      { query: AGENT, extensions: { persistedQuery: { version: 1, sha256Hash: '0'.repeat(64) } } },
    ],
    ['a document without variables', { query: LIST }],
    ['a media type that no response has', { query: LIST }, { accept: 'image/png' }],
    ['an event stream', { query: LIST }, { accept: 'text/event-stream' }],
    [
      'a body with a charset',
      JSON.stringify({ query: LIST }),
      { 'content-type': 'application/json; charset=utf-8' },
    ],
    ['a body that is a document', LIST, { 'content-type': 'application/graphql' }],
  ])('with %s', async (_, payload, headers) => {
    const ours = await ask(t, payload, headers)
    const theirs = await ask(slow, payload, headers)
    // An event stream has a ping at the beginning, whose time differs.
    expect(ours).toEqual(theirs)
  })

  test.each(Object.getOwnPropertyNames(Object.prototype))('with the name %s for anything', async (name) => {
    const queries = [
      `{ ${name}: __typename agents { totalCount } }`,
      `{ agents(first: 1) { ${name}: totalCount nodes { ${name}: name } } }`,
      `{ agents { ...${name} } } fragment ${name} on AgentConnection { totalCount }`,
      `query ${name} { agents { totalCount } }`,
      `query ($${name}: Int) { agents(first: $${name}) { totalCount nodes { pda } } }`,
    ]
    for (const query of queries) await warmUp({ query })
    const before = await compiledAnswers()
    for (const query of queries) {
      const answer = await ask(t, { query })
      expect(answer).toEqual(await ask(slow, { query }))
      expect(answer.status).toBe(200)
    }
    // Never compiled are the `__typename` of a query and, for example, the alias `__proto__`.
    expect(await compiledAnswers()).toBeGreaterThanOrEqual(before + 2)
  })

  test('and a GET request with the media type of a body too', async () => {
    const statusOf = async (url: string) => (await t.app.inject({ url, headers: JSON_BODY })).statusCode
    expect(await statusOf('/graphql')).toBe(200)
    expect(await statusOf(`/graphql?query=${encodeURIComponent(LIST)}`)).toBe(200)
  })

  test('also by its hash alone', async () => {
    const sha256Hash = createHash('sha256').update(LIST).digest('hex')
    const extensions = { persistedQuery: { version: 1, sha256Hash } }
    await warmUp({ query: LIST, extensions })
    const before = await compiledAnswers()
    expect((await ask(t, { extensions })).body).toBe((await ask(slow, { query: LIST })).body)
    expect(await compiledAnswers()).toBe(before + 1)
  })

  test('with the data of the last commit', async () => {
    const payload = { query: '{ agents { totalCount } }' }
    await warmUp(payload)
    await insertAgents(t.kysely, ['Committed now'])
    expect((await ask(t, payload)).body).toBe('{"data":{"agents":{"totalCount":4}}}')
  })

  test('for the same units', async () => {
    const kinds = Object.keys(RATE_LIMIT_KINDS) as RateLimitKind[]
    const rateLimits = Object.fromEntries(kinds.map((kind) => [kind, 1_000])) as RateLimitNumbers
    const limited = { database: t.database, rateLimits, clock: { now: () => FIXED_NOW } }
    const fast = await createTestApp(limited)
    const reference = await createTestApp({ ...limited, executor: 'execute' })
    const remaining = async (app: TestApp, payload: object) =>
      (await ask(app, payload)).headers['ratelimit-remaining']
    onTestFinished(async () => {
      await Promise.all([fast.app.close(), reference.app.close()])
    })
    const payloads = [{ query: LIST }, { query: WIDE }]
    for (let i = 0; i < 20; i++)
      for (const payload of payloads)
        expect(await remaining(fast, payload)).toBe(await remaining(reference, payload))
    expect((await fast.app.inject('/metrics')).body).toMatch(/^gateway_graphql_compiled_total [1-9]\d$/m)
  })
})

describe('the compiled queries of a process', () => {
  const documentOf = (i: number): string => `{ agents(first: ${1 + (i % 200)}) { a${i}: totalCount } }`
  const send = (queries: CompiledQueries, query: string, times = 1): void => {
    for (let i = 0; i < times; i++) if (queries.find(query) === undefined) queries.offer(query, parse(query))
  }
  const areCompiled = (queries: CompiledQueries, from: number, to: number): boolean[] =>
    Array.from({ length: to - from }, (_, i) => queries.find(documentOf(from + i)) !== undefined)

  test('stay, however many other documents are used a few times', () => {
    const queries = new CompiledQueries()
    for (let i = 0; i < 100; i++) send(queries, documentOf(i), 40)
    expect(areCompiled(queries, 0, 100)).not.toContain(false)
    for (let i = 1_000; i < 3_000; i++) send(queries, documentOf(i), 5)
    expect(areCompiled(queries, 0, 100)).not.toContain(false)
    expect(areCompiled(queries, 1_000, 3_000)).not.toContain(true)
  })

  test('are replaced by documents that are used more often', () => {
    const queries = new CompiledQueries()
    for (let i = 0; i < 110; i++) send(queries, documentOf(i), i < 100 ? 20 : 40)
    expect(areCompiled(queries, 100, 110)).not.toContain(false)
    expect(areCompiled(queries, 0, 100).filter(Boolean)).toHaveLength(90)
  })

  test.each([
    ['{ agents { totalCount @include(if: true) } }'],
    ['{ agents { ...F @skip(if: false) } } fragment F on AgentConnection { totalCount }'],
    ['{ health { status } }'],
    ['{ __schema { queryType { name } } }'],
    ['{ webhooks { nodes { id } } }'],
    ['{ viewer { agent { name } } }'],
    ['{ registryEvents { nodes { transaction { fee } } } }'],
    ['{ registryEvents { nodes { ... on AgentClosedEvent { transaction { fee } } } } }'],
    ['mutation { fundLocalnetWallet(wallet: "x") { lamports } }'],
    ['query A { agents { totalCount } } query B { agents { totalCount } }'],
    [`{ agents { ${'totalCount '.repeat(400)} } }`],
  ])('do not contain %s', (query) => {
    expect(canCompile(query, parse(query))).toBe(false)
  })
})
