import {
  getNamedType,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isNullableType,
  isObjectType,
  isScalarType,
  isSpecifiedDirective,
  isSpecifiedScalarType,
} from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../../schema/index.ts'
import { ERRORS } from '../../../src/domain/errors.ts'

interface Part {
  readonly path: string
  readonly name: string
  readonly description: string | null | undefined
}

const types: GraphQLNamedType[] = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
)
const objects = types.filter(isObjectType)
const interfaces = types.filter(isInterfaceType)
const directives = schema.getDirectives().filter((each) => !isSpecifiedDirective(each))
const at = <Value extends { name: string; description?: string | null }>(owner: string, value: Value) => ({
  ...value,
  name: value.name,
  description: value.description,
  path: `${owner}.${value.name}`,
})
const fields: (Part & GraphQLField<unknown, unknown>)[] = [...objects, ...interfaces].flatMap((type) =>
  Object.values(type.getFields()).map((field) => at(type.name, field)),
)
const args: (Part & GraphQLArgument)[] = [
  ...fields.flatMap((field) => field.args.map((arg) => at(field.path, arg))),
  ...directives.flatMap((each) => each.args.map((arg) => at(`@${each.name}`, arg))),
]
const inputFields: (Part & GraphQLInputField)[] = types
  .filter(isInputObjectType)
  .flatMap((type) => Object.values(type.getFields()).map((field) => at(type.name, field)))
const enumValues: Part[] = types
  .filter(isEnumType)
  .flatMap((type) => type.getValues().map((value) => at(type.name, value)))
const named: Part[] = types.map(({ name, description }) => ({ path: name, name, description }))
const namedDirectives: Part[] = directives.map(({ name, description }) => ({
  path: `@${name}`,
  name,
  description,
}))
const described = [...named, ...fields, ...args, ...inputFields, ...enumValues, ...namedDirectives]
const rootFields = [schema.getQueryType()!, schema.getMutationType()!, schema.getSubscriptionType()!].flatMap(
  (type) => Object.values(type.getFields()).map((field) => at(type.name, field)),
)

const paths = (parts: readonly Part[]): string[] => parts.map((part) => part.path)

test('every type, field, argument, input field, enum value and directive has a description', () => {
  expect(paths(enumValues).length).toBeGreaterThan(200)
  expect(paths(described.filter(({ description }) => !description?.trim()))).toEqual([])
})

test('no description names a route of REST', () => {
  const routes = described.filter(({ description }) =>
    /\b(GET|POST|PUT|PATCH|DELETE|HEAD) \//.test(description ?? ''),
  )
  // The texts of errors are the same in REST.
  const shared = ['NOT_A_REGISTRATION', 'REGISTRATION_NEEDS_CODE', 'SPONSORED_REGISTRATION']
  expect(paths(routes).sort()).toEqual(shared.map((code) => `ErrorCode.${code}`))
})

test('types are in PascalCase, fields and arguments in camelCase', () => {
  expect(paths(named.filter(({ name }) => !/^[A-Z][A-Za-z0-9]*$/.test(name)))).toEqual([])
  const camel = /^[a-z][A-Za-z0-9]*$/
  const inCamelCase = [...fields, ...args, ...inputFields, ...namedDirectives]
  expect(paths(inCamelCase.filter(({ name }) => !camel.test(name)))).toEqual([])
})

test('enum values are in UPPER_CASE', () => {
  expect(paths(enumValues.filter(({ name }) => !/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(name)))).toEqual([])
})

test('the values of an enum have different texts in the services', () => {
  for (const type of types.filter(isEnumType)) {
    const texts = type.getValues().map(({ value }) => value as unknown)
    expect([type.name, new Set(texts).size]).toEqual([type.name, texts.length])
  }
})

test('no value is untyped JSON', () => {
  const scalars = types.filter(isScalarType).map(({ name }) => name)
  // A credential is JSON of other issuers.
  expect(scalars.sort()).toEqual(['DateTime', 'Pubkey', 'SafeInt', 'U64', 'VerifiableCredential'])
  const untyped = [...fields, ...args, ...inputFields].filter(({ type }) =>
    ['JSON', 'JSONObject', 'VerifiableCredential'].includes(getNamedType(type).name),
  )
  expect(paths(untyped)).toEqual(['CredentialSource.credential'])
})

test('only values that are not integers are Float', () => {
  const floats = [...fields, ...args, ...inputFields].filter(
    ({ type }) => getNamedType(type).name === 'Float',
  )
  const reasons = {
    'Agent.nameSimilarity': 'A part of 1.',
    'FeePayerHealth.balanceSol': 'SOL for people; balanceLamports is exact.',
    'IndexerHealth.lagSeconds': 'Seconds with milliseconds.',
    'OperatorWebhooks.oldestDueSeconds': 'Seconds with milliseconds.',
  }
  expect(paths(floats).sort()).toEqual(Object.keys(reasons))
})

test('lists have no null entries, in inputs and outputs', () => {
  const listWithNulls = (type: GraphQLOutputType | GraphQLArgument['type']): boolean => {
    const inner = isNonNullType(type) ? type.ofType : type
    return isListType(inner) && isNullableType(inner.ofType)
  }
  const withNulls = [...fields, ...args, ...inputFields].filter(({ type }) => listWithNulls(type))
  // The objects are in the order of the ids, and null if they do not exist.
  expect(paths(withNulls)).toEqual(['Query.nodes'])
})

test('output lists are never null', () => {
  const nullable = fields.filter(({ type }) => isListType(type))
  // Missing logs and empty logs have different meanings.
  expect(paths(nullable)).toEqual(['LedgerTransaction.logs', 'TransactionFailure.logs'])
})

test('a page has one list, and total, limit and offset if it is a part of a longer list', () => {
  const pages = objects.filter(({ name }) => name.endsWith('Page'))
  expect(pages.length).toBeGreaterThan(2)
  const list = expect.stringMatching(/^[a-z]+: \[\w+!\]!$/)
  // At most 50 credentials, and 20 webhooks.
  const whole = {
    CredentialPage: ['pda: Pubkey!', 'total: Int!', list],
    WebhookPage: [list],
  }
  const part = ['total: Int!', 'limit: Int!', 'offset: Int!', list]
  const expected = new Map<string, unknown>(Object.entries(whole))
  for (const page of pages) {
    const shape = Object.values(page.getFields()).map(({ name, type }) => `${name}: ${String(type)}`)
    expect([page.name, shape]).toEqual([page.name, expected.get(page.name) ?? part])
  }
})

test('a connection has nodes, edges and pageInfo, and its edges have a cursor and a node', () => {
  const connections = objects.filter(({ name }) => name.endsWith('Connection'))
  expect(connections.length).toBeGreaterThan(2)
  for (const connection of connections) {
    const shape = Object.values(connection.getFields()).map(({ name, type }) => `${name}: ${String(type)}`)
    const entry = connection.name.replace(/Connection$/, '')
    const edgeType = objects.find(({ name }) => name === `${entry}Edge`)
    const edgeShape = Object.values(edgeType?.getFields() ?? {}).map(
      ({ name, type }) => `${name}: ${String(type)}`,
    )
    const node = getNamedType(connection.getFields()['nodes']!.type).name
    expect(node).toBe(entry === 'AgentHistory' ? 'AgentHistoryEntry' : entry)
    const counted = connection.name === 'RegistryEventConnection' ? [] : ['totalCount: Int!']
    expect(shape).toEqual([
      `nodes: [${node}!]!`,
      `edges: [${entry}Edge!]!`,
      'pageInfo: PageInfo!',
      ...counted,
    ])
    expect(edgeShape).toEqual(['cursor: String!', `node: ${node}!`])
  }
})

test('every field that returns a connection has its four arguments, and other fields have none', () => {
  for (const { path, type, args: given } of fields) {
    const names = new Set(given.map(({ name }) => name))
    const cursors = ['first', 'after', 'last', 'before'].filter((name) => names.has(name))
    const isConnection = getNamedType(type).name.endsWith('Connection')
    // A subscription continues after an event.
    const others = path === 'Subscription.registryEvents' ? ['after'] : []
    expect([path, cursors]).toEqual([path, isConnection ? ['first', 'after', 'last', 'before'] : others])
    expect([path, isConnection && names.has('offset')]).toEqual([path, false])
  }
})

test('every field that returns a connection names the error of cursors', () => {
  const silent = fields.filter(
    ({ type, extensions }) =>
      getNamedType(type).name.endsWith('Connection') && !extensions.errors?.includes('INVALID_CURSOR'),
  )
  expect(paths(silent)).toEqual([])
})

test('every list of the root is a connection or a page', () => {
  const lists = rootFields.filter(({ type }) => isListType(isNonNullType(type) ? type.ofType : type))
  const reasons = {
    'Query.agentSuggestions': 'At most 20, for a search box.',
    'Query.nodes': 'One for each id.',
    'Query.registryEventCounts': 'At most 84 periods.',
    'Query.registryEventsPerMinute': 'One for each of 60 minutes.',
    'Query.registryGrowth': 'One for each time.',
    'Query.registryReputation': 'A fixed number of ranges.',
    'Query.registryStake': 'One for each time.',
    'Query.webhookEventTypes': 'The values of an enum.',
  }
  expect(paths(lists).sort()).toEqual(Object.keys(reasons))
  expect(getNamedType(lists.find(({ name }) => name === 'webhookEventTypes')!.type)).toSatisfy(isEnumType)
})

test('every list of nodes is in a connection or a page', () => {
  const lists = fields.filter(({ path, type }) => {
    const entry = getNamedType(type)
    const isNode = isObjectType(entry) && entry.getInterfaces().some(({ name }) => name === 'Node')
    const isList = isListType(isNonNullType(type) ? type.ofType : type)
    return isNode && isList && !/(Connection|Page)\./.test(path)
  })
  // At most 10 and 20.
  expect(paths(lists)).toEqual(['AgentLookup.agents', 'Query.agentSuggestions'])
})

test('a list has one filter and one order', () => {
  const lists = fields.filter(({ type }) => /(Connection|Page)$/.test(getNamedType(type).name))
  expect(lists.length).toBeGreaterThan(10)
  const known = /^(first|after|last|before|limit|offset|pda|id|filter|orderBy)$/
  const others = lists.flatMap(({ path, args: given }) =>
    given.filter(({ name }) => !known.test(name)).map(({ name }) => `${path}(${name})`),
  )
  // The agent is the filter.
  expect(others).toEqual(['Agent.events(types)'])
  const typesOf = (name: string) =>
    lists.flatMap(({ args: given }) => given.filter((arg) => arg.name === name))
  expect(typesOf('filter').filter(({ type }) => !String(type).endsWith('Filter'))).toEqual([])
  expect(typesOf('orderBy').filter(({ type }) => !String(type).endsWith('Order'))).toEqual([])
})

test('an order has a field and a direction', () => {
  const orders = types.filter(isInputObjectType).filter(({ name }) => name.endsWith('Order'))
  expect(orders.map(({ name }) => name).sort()).toEqual(['AgentOrder', 'StakeOrder'])
  for (const order of orders)
    expect(Object.values(order.getFields()).map(({ name, type }) => `${name}: ${String(type)}`)).toEqual([
      `field: ${order.name}Field`,
      'direction: OrderDirection',
    ])
})

test('every type with an id: ID! is a node, and every node has one', () => {
  const idOf = (type: (typeof objects)[number] | (typeof interfaces)[number]) =>
    type.getFields()['id'] && String(type.getFields()['id']!.type)
  const isNode = (type: (typeof objects)[number] | (typeof interfaces)[number]) =>
    type.name === 'Node' || type.getInterfaces().some(({ name }) => name === 'Node')
  const identified = [...objects, ...interfaces].filter((type) => idOf(type) === 'ID!')
  expect(identified.filter((type) => !isNode(type)).map(({ name }) => name)).toEqual([])
  const nodes = [...objects, ...interfaces].filter(isNode)
  expect(nodes.length).toBeGreaterThan(20)
  expect(nodes.filter((type) => idOf(type) !== 'ID!').map(({ name }) => name)).toEqual([])
})

test('every object of an interface has its fields with the same types', () => {
  for (const each of interfaces) {
    const possible = schema.getPossibleTypes(each)
    expect(possible.length).toBeGreaterThan(10)
    for (const type of possible)
      for (const [name, field] of Object.entries(each.getFields()))
        expect([type.name, name, String(type.getFields()[name]?.type)]).toEqual([
          type.name,
          name,
          String(field.type),
        ])
  }
})

test('every error code of a field exists, and occurs once', () => {
  const known = new Set(Object.keys(ERRORS))
  let count = 0
  for (const { path, extensions } of fields) {
    const { errors = [] } = extensions
    count += errors.length
    expect([path, errors.filter((code) => !known.has(code))]).toEqual([path, []])
    expect([path, new Set(errors).size]).toEqual([path, errors.length])
  }
  expect(count).toBeGreaterThan(100)
})

test('the enum of error codes has those of all errors', () => {
  const codes = enumValues.filter(({ path }) => path.startsWith('ErrorCode.')).map(({ name }) => name)
  expect(codes.sort()).toEqual([...new Set([...Object.keys(ERRORS), 'INTERNAL_SERVER_ERROR'])].sort())
})

test('the names of inputs, and only of inputs, end in Input, Filter, Order or Source', () => {
  const inputs = types.filter(isInputObjectType)
  const inputName = /(Input|Filter|Order|Source)$/
  expect(inputs.filter(({ name }) => !inputName.test(name)).map(({ name }) => name)).toEqual([])
  expect(objects.filter(({ name }) => inputName.test(name)).map(({ name }) => name)).toEqual([])
})

test('keys, times and amounts always have their scalar types', () => {
  const named = [...fields, ...args, ...inputFields]
  const typesOf = (pattern: RegExp): Set<string> =>
    new Set(named.filter(({ name }) => pattern.test(name)).map(({ type }) => String(type).replace(/!$/, '')))
  expect(typesOf(/^(owner|pda|agentPda|stakePda|filterAgentPda|pubkey|wallet)$/)).toEqual(new Set(['Pubkey']))
  expect(typesOf(/(^t|T)imestamp$|[a-z]At$/)).toEqual(new Set(['DateTime']))
  expect(typesOf(/Amount$/)).toEqual(new Set(['U64']))
})

test('identifiers are never null', () => {
  const loose = fields.filter(
    ({ path, name, type }) => /^(id|pda|did)$/.test(name) && path !== 'Query.did' && !isNonNullType(type),
  )
  expect(paths(loose)).toEqual([])
})
