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
  ['a short list with stakes', '{ agents(limit: 5) { total agents { name stake { depositedAmount } } } }', 1],
  ['the default page', `{ agents { agents { ${LIST} } } }`, 2],
  ['the largest page', `{ agents(limit: 200) { agents { ${LIST} } } }`, 5],
  ['a page of a connection', `{ agentsConnection(first: 200) { edges { node { ${LIST} } } } }`, 6],
  ['a page from the end', `{ agentsConnection(last: 200) { edges { node { ${LIST} } } } }`, 6],
  ['a count', '{ agentsConnection(first: 1) { totalCount } }', 2],
  ['a count of a search', '{ agentsConnection(filter: { name: "x" }, first: 1) { totalCount } }', 10],
  ['a page above the limit, which the service refuses', '{ agents(limit: 100000) { agents { pda } } }', 2],
  ['nested pages', '{ agents(limit: 50) { agents { history(limit: 50) { history { delta } } } } }', 18],
  ['many root fields', `{ ${repeat(10, (i) => `a${i}: info { name }`)} }`, 10],
  ['a search', '{ agents(filter: { name: "x" }, limit: 10) { total } }', 5],
  ['a filter without a name', '{ agents(filter: { tier: basic, name: null }) { total } }', 1],
  ['a filter by reputation', '{ agents(filter: { maxReputation: 0 }) { total } }', 5],
  [
    'a count of a filter by reputation',
    '{ agentsConnection(filter: { minReputation: 1 }) { totalCount } }',
    10,
  ],
  ['an offset', '{ agents(offset: 20000) { total } stakes(offset: 4999) { total } }', 6],
  ['an offset in a history', '{ agentHistory(pda: "x", offset: 10000) { total } }', 3],
  ['an offset in the histories of agents', '{ agents { agents { history(offset: 10000) { total } } } }', 4],
  ['an offset above every list', '{ agents(offset: 2000000000) { total } }', 101],
  ['cards', '{ agents(limit: 200) { agents { card { state } } } }', 19],
  ['credentials', '{ agents(limit: 200) { agents { credentials { total } } } }', 36],
  ['a subscription', 'subscription { registryEvents { id } }', 1],
  [
    'a fragment that is spread often',
    `{ agents(limit: 200) { agents { ${repeat(10, (i) => `s${i}: stake { ...S }`)} } } } fragment S on Stake { pda owner }`,
    19,
  ],
])('%s costs its units', (_, text, units) => {
  expect(unitsOf(text)).toBe(units)
})

test('introspection by tools costs about ten units', () => {
  const units = unitsOf(getIntrospectionQuery())
  expect(units).toBeGreaterThan(5)
  expect(units).toBeLessThan(20)
})

test('variables, and their defaults, decide the cost as literals do', () => {
  const text = `query ($limit: Int = 200, $f: AgentFilter, $name: String) {
    a: agents(limit: $limit, filter: $f) { agents { ${LIST} } }
    b: agents(filter: { name: $name }) { total }
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
    `query { agents { __typename agents { __typename pda ${repeat(count, (i) => `...P${i}`)} } } } ${parts(count)} fragment S on Stake { __typename pda owner }`
  expect(unitsOf(page(30))).toBeGreaterThan(0)
  expect(() => unitsOf(page(45))).toThrow('repeats field names or fragments too often')
})
