import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isNullableType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../../schema/index.ts'

interface Part {
  readonly path: string
  readonly name: string
  readonly description: string | null | undefined
}

const types: GraphQLNamedType[] = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
)
const objects = types.filter(isObjectType)
const at = <Value extends { name: string; description?: string | null }>(owner: string, value: Value) => ({
  ...value,
  name: value.name,
  description: value.description,
  path: `${owner}.${value.name}`,
})
const fields: (Part & GraphQLField<unknown, unknown>)[] = objects.flatMap((type) =>
  Object.values(type.getFields()).map((field) => at(type.name, field)),
)
const args: (Part & GraphQLArgument)[] = fields.flatMap((field) =>
  field.args.map((arg) => at(field.path, arg)),
)
const inputFields: (Part & GraphQLInputField)[] = types
  .filter(isInputObjectType)
  .flatMap((type) => Object.values(type.getFields()).map((field) => at(type.name, field)))
const enumValues: Part[] = types
  .filter(isEnumType)
  .flatMap((type) => type.getValues().map((value) => at(type.name, value)))
const named: Part[] = types.map(({ name, description }) => ({ path: name, name, description }))

const paths = (parts: readonly Part[]): string[] => parts.map((part) => part.path)

test('every type, field, argument, input field and enum value has a description', () => {
  const undescribed = [...named, ...fields, ...args, ...inputFields, ...enumValues].filter(
    ({ description }) => !description?.trim(),
  )
  expect(paths(undescribed)).toEqual([])
})

test('types are in PascalCase, fields and arguments in camelCase', () => {
  expect(paths(named.filter(({ name }) => !/^[A-Z][A-Za-z0-9]*$/.test(name)))).toEqual([])
  const camel = /^[a-z][A-Za-z0-9]*$/
  expect(paths([...fields, ...args, ...inputFields].filter(({ name }) => !camel.test(name)))).toEqual([])
})

test('enum values are in camelCase or snake_case', () => {
  expect(paths(enumValues.filter(({ name }) => !/^[a-z][A-Za-z0-9]*(_[a-z0-9]+)*$/.test(name)))).toEqual([])
})

test('lists have no null entries, in inputs and outputs', () => {
  const listWithNulls = (type: GraphQLOutputType | GraphQLArgument['type']): boolean => {
    const inner = isNonNullType(type) ? type.ofType : type
    return isListType(inner) && isNullableType(inner.ofType)
  }
  expect(paths([...fields, ...args, ...inputFields].filter(({ type }) => listWithNulls(type)))).toEqual([])
})

test('output lists are never null', () => {
  const nullable = fields.filter(({ type }) => isListType(type))
  // Missing logs and empty logs have different meanings.
  expect(paths(nullable)).toEqual(['LedgerTransaction.logs', 'TransactionFailure.logs'])
})

test('a page has total, limit, offset and one list', () => {
  const pages = objects.filter(({ name }) => name.endsWith('Page'))
  expect(pages.length).toBeGreaterThan(2)
  for (const page of pages) {
    const shape = Object.values(page.getFields()).map(({ type }) => String(type))
    expect([page.name, shape.filter((type) => type !== 'Int!')]).toEqual([
      page.name,
      [expect.stringMatching(/^\[\w+!\]!$/)],
    ])
    const bounds = ['total', 'limit', 'offset'].map((name) => String(page.getFields()[name]?.type))
    expect(bounds).toEqual(['Int!', 'Int!', 'Int!'])
  }
})

test('a connection has edges and pageInfo, and its edges have a cursor and a node', () => {
  const connections = objects.filter(({ name }) => name.endsWith('Connection'))
  expect(connections.length).toBeGreaterThan(2)
  for (const connection of connections) {
    const shape = Object.values(connection.getFields()).map(({ name, type }) => `${name}: ${String(type)}`)
    const edge = connection.name.replace('Connection', 'Edge')
    const counted = connection.name === 'RegistryEventConnection' ? [] : ['totalCount: Int!']
    expect(shape).toEqual([`edges: [${edge}!]!`, 'pageInfo: PageInfo!', ...counted])
    const edgeType = objects.find(({ name }) => name === edge)
    expect(Object.keys(edgeType?.getFields() ?? {})).toEqual(['cursor', 'node'])
  }
})

test('the names of inputs, and only of inputs, end in Input or Filter', () => {
  const inputs = types.filter(isInputObjectType)
  expect(inputs.filter(({ name }) => !/(Input|Filter)$/.test(name)).map(({ name }) => name)).toEqual([])
  expect(objects.filter(({ name }) => /(Input|Filter)$/.test(name)).map(({ name }) => name)).toEqual([])
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
