import { getIntrospectionQuery, Kind, type OperationDefinitionNode, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import { checkDocumentSize, fragmentsOf } from '../../../schema/document-size.ts'
import { schema } from '../../../schema/index.ts'
import { documentUnits, operationUnits } from '../../../schema/operation-cost.ts'

function unitsOf(text: string, variables: Record<string, unknown> = {}): number {
  const document = parse(text)
  checkDocumentSize(document)
  expect(validate(schema, document)).toEqual([])
  const operation = document.definitions.find(
    (each): each is OperationDefinitionNode => each.kind === Kind.OPERATION_DEFINITION,
  )
  return operationUnits(operation!, fragmentsOf(document), variables)
}
const repeat = (count: number, part: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => part(i)).join(' ')
const LIST = 'pda owner name tier status serviceCategory reputationScore capabilities version agentCardUrl'

test.each([
  ['__typename', '{ __typename }', 1],
  ['one look-up', '{ agent(pda: "x") { pda name } }', 1],
  ['a short list with stakes', '{ agents(first: 5) { nodes { name stake { depositedAmount } } } }', 1],
  [
    'a short page with stakes',
    '{ agentsPage(limit: 5) { total agents { name stake { depositedAmount } } } }',
    1,
  ],
  ['the default list', `{ agents { nodes { ${LIST} } } }`, 2],
  ['the default page', `{ agentsPage { agents { ${LIST} } } }`, 2],
  ['the longest list', `{ agents(first: 200) { nodes { ${LIST} } } }`, 5],
  ['the largest page', `{ agentsPage(limit: 200) { agents { ${LIST} } } }`, 5],
  ['a list with cursors', `{ agents(first: 200) { edges { node { ${LIST} } } } }`, 6],
  ['a list from the end', `{ agents(last: 200) { edges { node { ${LIST} } } } }`, 6],
  ['a list twice', `{ agents(first: 200) { nodes { ${LIST} } edges { node { ${LIST} } } } }`, 11],
  ['a count', '{ agents(first: 1) { totalCount } }', 2],
  ['a count of a search', '{ agents(filter: { name: "x" }, first: 1) { totalCount } }', 10],
  ['counts that need no statement', '{ webhooks { totalCount } credentials(pda: "x") { totalCount } }', 2],
  ['a list above the limit, which the service refuses', '{ agents(first: 100000) { nodes { pda } } }', 2],
  [
    'a page above the limit, which the service refuses',
    '{ agentsPage(limit: 100000) { agents { pda } } }',
    2,
  ],
  ['nested lists', '{ agents(first: 50) { nodes { history(first: 50) { nodes { delta } } } } }', 19],
  [
    'different pages of a history',
    `{ agent(pda: "x") { ${repeat(40, (i) => `a${i}: history(first: ${i + 1}) { __typename }`)} } }`,
    41,
  ],
  [
    'nested lists from the end',
    '{ agents(last: 50) { nodes { history(last: 50) { nodes { delta } } } } }',
    19,
  ],
  ['many root fields', `{ ${repeat(10, (i) => `a${i}: info { name }`)} }`, 10],
  ['a search', '{ agents(filter: { name: "x" }, first: 10) { nodes { pda } } }', 5],
  ['a page of a search', '{ agentsPage(filter: { name: "x" }, limit: 10) { total } }', 5],
  [
    'a filter without a name',
    '{ agents(filter: { tier: BASIC, name: null }) { pageInfo { endCursor } } }',
    1,
  ],
  ['a page of a filter without a name', '{ agentsPage(filter: { tier: BASIC, name: null }) { total } }', 1],
  ['a filter by reputation', '{ agents(filter: { maxReputation: 0 }, first: 1) { nodes { pda } } }', 5],
  ['a page of a filter by reputation', '{ agentsPage(filter: { maxReputation: 0 }) { total } }', 5],
  ['a count of a filter by reputation', '{ agents(filter: { minReputation: 1 }) { totalCount } }', 10],
  ['an offset', '{ agentsPage(offset: 20000) { total } stakesPage(offset: 4999) { total } }', 6],
  ['an offset in a history', '{ agentHistoryPage(pda: "x", offset: 10000) { total } }', 3],
  ['an offset above every list', '{ agentsPage(offset: 2000000000) { total } }', 101],
  ['cards', '{ agents(first: 200) { nodes { card { state } } } }', 19],
  ['credentials', '{ agents(first: 200) { nodes { credentials { totalCount } } } }', 36],
  [
    'listed credentials',
    '{ agents(first: 200) { nodes { credentials(first: 10) { nodes { type } } } } }',
    49,
  ],
  ['the events of agents', '{ agents(first: 20) { nodes { events(first: 1) { nodes { id } } } } }', 21],
  [
    'the deliveries of webhooks',
    '{ webhooks(first: 20) { nodes { deliveries(first: 1) { nodes { id } } } } }',
    21,
  ],
  ['the transactions of events', '{ registryEvents(first: 5) { nodes { transaction { slot } } } }', 51],
  ['an object by its only id', '{ nodes(ids: "x") { ... on RegistryEvent { transaction { fee } } } }', 11],
  ['objects by their ids', `{ nodes(ids: [${repeat(100, (i) => `"${i}"`)}]) { id } }`, 101],
  ['a subscription', 'subscription { registryEvents { id } }', 1],
  [
    'a fragment that is spread often',
    `{ agents(first: 200) { nodes { ${repeat(10, (i) => `s${i}: stake { ...S }`)} } } } fragment S on Stake { pda owner }`,
    19,
  ],
])('%s costs its units', (_, text, units) => {
  expect(unitsOf(text)).toBe(units)
})

const EVENTS = 'events(first: 200) { nodes { id transaction { slot } } }'

test.each([
  ['an inline fragment', `{ node(id: "x") { ... on Agent { ${EVENTS} } } }`],
  ['a named fragment', `{ node(id: "x") { ...A } } fragment A on Agent { ${EVENTS} }`],
  ['a fragment in another', `{ node(id: "x") { ...N } } fragment N on Node { ... on Agent { ${EVENTS} } }`],
  ['objects by their ids', `{ nodes(ids: ["x"]) { ... on Agent { ${EVENTS} } } }`],
])('the fields of one type cost their units in %s', (_, text) => {
  expect(unitsOf(text)).toBeGreaterThanOrEqual(unitsOf(`{ agent(pda: "x") { ${EVENTS} } }`))
})

test('an object that can have several types costs the most expensive one', () => {
  const [agent, stake] = [`... on Agent { ${EVENTS} }`, `... on Stake { agent { ${EVENTS} } }`]
  const most = unitsOf(`{ node(id: "x") { ${stake} } }`)
  expect(unitsOf(`{ node(id: "x") { ${agent} ${stake} } }`)).toBe(most)
  expect(
    unitsOf(
      `{ node(id: "x") { ...A ...S } } fragment A on Node { ${agent} } fragment S on Node { ${stake} }`,
    ),
  ).toBeGreaterThanOrEqual(most)
})

test('each object by its id costs what it selects', () => {
  const text = `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Agent { ${EVENTS} } } }`
  const one = unitsOf(text, { ids: ['x'] })
  expect(one).toBeGreaterThan(2_000)
  expect(unitsOf(text, { ids: Array.from({ length: 50 }, String) })).toBeGreaterThan(one * 49)
})

test('introspection by tools costs about ten units', () => {
  const units = unitsOf(getIntrospectionQuery())
  expect(units).toBeGreaterThan(5)
  expect(units).toBeLessThan(20)
})

test('variables, and their defaults, decide the cost as literals do', () => {
  const text = `query ($limit: Int = 200, $f: AgentFilter, $name: String) {
    a: agentsPage(limit: $limit, filter: $f) { agents { ${LIST} } }
    b: agentsPage(filter: { name: $name }) { total }
  }`
  expect(unitsOf(text)).toBe(6)
  expect(unitsOf(text, { limit: 10 })).toBe(2)
  expect(unitsOf(text, { limit: 10, f: { name: 'x' } })).toBe(6)
  expect(unitsOf(text, { limit: 10, name: 'x' })).toBe(6)
  expect(unitsOf(text, { limit: 'x' })).toBe(6)
})

test('long documents cost more, whatever they contain', () => {
  expect([999, 1_000, 20_000].map((length) => documentUnits(' '.repeat(length)))).toEqual([0, 1, 20])
})

test('documents of client libraries, which repeat names in every fragment, are not too large', () => {
  const parts = (count: number): string =>
    repeat(count, (i) => `fragment P${i} on Agent { __typename pda name stake { __typename pda ...S } }`)
  const page = (count: number): string =>
    `query { agents { __typename nodes { __typename pda ${repeat(count, (i) => `...P${i}`)} } } } ${parts(count)} fragment S on Stake { __typename pda owner }`
  expect(unitsOf(page(30))).toBeGreaterThan(0)
  expect(() => unitsOf(page(45))).toThrow('repeats field names or fragments too often')
})
