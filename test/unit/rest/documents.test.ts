import {
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  type GraphQLOutputType,
  print,
  Source,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import Schema from 'typebox/schema'
import { load, operations } from '../../../rest/documents/documents.ts'
import { argumentsOf, endpoints, toEndpoint } from '../../../rest/documents/endpoints.ts'
import { inputSchema, isRequired, objectOf } from '../../../rest/documents/json-schema.ts'
import { responseSchema, rootFields, type Selected } from '../../../rest/documents/responses.ts'
import { bodyWriter } from '../../../rest/response-text.ts'
import { TOOLS } from '../../../rest/mcp/tools.ts'
import * as fc from '../../support/property.ts'

const read = (text: string) => load([new Source(text, 'rest/x/operations.graphql')])
const endpoint = (text: string) => Array.from(read(text).values(), (each) => toEndpoint(each))

describe('a mistake in a document is an error with its file and line', () => {
  const REST = '@rest(path: "/x", tag: "X")'
  const INFO = '{ info { name } }'
  const a = (selection: string, variables = '', directive = REST) =>
    `"A" query A${variables} ${directive} ${selection}`
  test.each([
    ['an unknown field', a('{ nothing }'), 'Cannot query field "nothing"'],
    ['an unknown fragment', a('{ agent(pda: "x") { ...Nothing } }'), 'Unknown fragment "Nothing"'],
    ['an unknown argument of a directive', a(INFO, '', '@rest(url: "/x")'), 'Unknown argument "url"'],
    ['no description', `query A ${REST} { info { name } }`, 'A: It needs a description'],
    ['a variable of another type', a('{ agent(pda: $pda) { pda } }', '($pda: Int)'), 'of type "Int"'],
    ['an unused variable', a(INFO, '($pda: Pubkey)'), '"$pda" is never used'],
    ['a path without its variable', a(INFO, '', '@rest(path: "/x/{pda}", tag: "X")'), 'no variable $pda'],
    ['a name in lower case', `"A" query a ${REST} { info { name } }`, 'It needs a name that begins with'],
    [
      'a path with a space',
      a(INFO, '', '@rest(path: "/x y", tag: "X")'),
      'Its path must be made of /name and /{variable}, got /x y',
    ],
    [
      'a status of an error',
      a(INFO, '', '@rest(path: "/x", tag: "X", status: 404)'),
      'Its status must be 200 to 299, got 404',
    ],
    [
      'a tool in camelCase',
      a(INFO, '', '@tool(name: "aTool", title: "A", effect: READ)'),
      'The name of its tool must be snake_case, got aTool',
    ],
    [
      'a model in lower case',
      a('{ info @model(name: "info") { name } }'),
      'The name of a model must be like AgentSummary, got info',
    ],
    [
      'two operations of one name',
      `"A" query A ${REST} { info { name } } "A" query A ${REST} { info { name } }`,
      'There can be only one operation named "A"',
    ],
    [
      'two fragments of one name',
      a('{ info { ...F } } fragment F on Info { name } fragment F on Info { name }'),
      'There can be only one fragment named "F"',
    ],
    ['several members without a name', a('{ a: info { name } b: info { name } }'), 'needs @model'],
  ])('%s', (_, text, problem) => {
    const build = () => endpoint(text).map((each) => responseSchema(each!))
    expect(build).toThrow(problem)
    expect(build).toThrow(/rest\/x\/operations\.graphql:1:\d+/)
  })
})

test('an operation can use shared fragments, or others of the same name', () => {
  const shared = read(
    'query A { agent(pda: "x") { ...F ...G } } fragment F on Agent { pda } fragment G on Agent { name }',
  )
  const { fragments } = shared.get('A')!
  const fieldsOf = (text: string) => {
    const [own] = load([new Source(text, 'x.graphql')], fragments).values()
    return rootFields(own!)[0]!.inner!.map(({ name }) => name)
  }
  expect(fieldsOf('query B { agent(pda: "x") { ...G } }')).toEqual(['name'])
  expect(fieldsOf('query B { agent(pda: "x") { ...G ...F } } fragment F on Agent { owner }')).toEqual([
    'name',
    'owner',
  ])
})

test('a variable is a parameter with the facts of its argument, unless the document has others', () => {
  const [given] = Array.from(
    read(`query A($owner: Pubkey, "How many." $limit: Int = 20, $sort: AgentOrderField) {
      agentsPage(filter: { owner: $owner }, limit: $limit, orderBy: { field: $sort }) { total }
    }`).values(),
    argumentsOf,
  )
  const schemas = Object.fromEntries(
    Object.entries(given!.inputs).map(([name, each]) => [name, inputSchema(each)]),
  )
  expect(schemas).toMatchObject({
    owner: { type: 'string', description: 'Only the agent of this wallet.' },
    limit: { type: 'integer', minimum: 1, maximum: 200, default: 20, description: 'How many.' },
    sort: { enum: ['reputation', 'created_at', 'name'] },
  })
})

test('a value whose absence a service refuses is expected, and reaches the service without a value', () => {
  const [given] = Array.from(
    read(`mutation A($id: String!, $webhook: String!, $input: UpdateWebhookInput!) {
      submitTransaction(id: $id, signedTx: "x") { status }
      updateWebhook(id: $webhook, input: $input) { id }
    }`).values(),
  )
  expect(print(given!.document)).toMatch(/^mutation A\(\$id: String, \$webhook: String!, \$input: /)
  const { inputs } = argumentsOf(given!)
  expect(objectOf({ id: inputs['id']! })).toMatchObject({ required: ['id'] })
  expect(isRequired(inputs['id']!)).toBe(false)
  expect(isRequired(inputs['webhook']!)).toBe(true)
})

test('the values of an enum are the texts of the services in requests and responses', () => {
  const [given] = Array.from(
    read(`query A($category: ServiceCategory) @model(name: "A") {
      agentsPage(filter: { category: $category }) { agents { category: serviceCategory } }
    }`).values(),
  )
  const texts = ['dataAnalysis', 'customerService']
  expect(inputSchema(argumentsOf(given!).inputs['category']!)).toMatchObject({
    enum: expect.arrayContaining(texts),
  })
  const fits = compiled(responseSchema(given!))
  const agents = (category: string) => ({ agents: [{ category }] })
  expect(texts.map((text) => fits.Check(agents(text)))).toEqual([true, true])
  expect(fits.Check(agents('DATA_ANALYSIS'))).toBe(false)
})

test('@optional leaves out null and false, @as renames, and an alias of the only field wraps it', () => {
  const [first, second] = Array.from(
    read(`
      query A { agentHistoryPage(pda: "x") { history { delta @optional timestamp } } }
      query B @model(name: "B") { all: did(did: "x") { didDocument { context @as(name: "@context") id } } }
    `).values(),
    (each) => bodyWriter(rootFields(each)),
  )
  const history = [
    { delta: null, timestamp: '1' },
    { delta: '+1', timestamp: '2' },
  ]
  expect(first!({ agentHistoryPage: { history } })).toBe(
    '{"history":[{"timestamp":"1"},{"delta":"+1","timestamp":"2"}]}',
  )
  expect(second!({ all: { didDocument: { context: ['c'], id: 'd' } } })).toBe(
    '{"all":{"didDocument":{"@context":["c"],"id":"d"}}}',
  )
})

const TEXT = {
  String: fc.string(),
  ID: fc.string(),
  Pubkey: fc.constant('1'.repeat(32)),
  DateTime: fc.constant('2026-11-21T06:29:22.000Z'),
}
const LEAVES: Record<string, fc.Arbitrary<unknown>> = {
  ...TEXT,
  Int: fc.integer(),
  SafeInt: fc.nat(),
  Float: fc.double({ noNaN: true, noDefaultInfinity: true }),
  Boolean: fc.boolean(),
  U64: fc.nat(),
}

/** Random data of a selection, as the execution returns it. */
const dataOf = (fields: readonly Selected[]): fc.Arbitrary<Record<string, unknown>> =>
  fc.record(
    Object.fromEntries(
      fields.map((each) => [(each.node.alias ?? each.node.name).value, valueOf(each.field.type, each)]),
    ),
  )

function valueOf(type: GraphQLOutputType, selected: Selected): fc.Arbitrary<unknown> {
  if (!isNonNullType(type)) return fc.option(present(type, selected))
  return present(type.ofType, selected)
}

function present(type: GraphQLOutputType, { field, node, inner, ...rest }: Selected): fc.Arbitrary<unknown> {
  if (isListType(type))
    return fc.array(valueOf(type.ofType, { field, node, inner, ...rest }), { maxLength: 3 })
  if (inner !== null) return dataOf(inner)
  const named = getNamedType(type)
  const { jsonSchema = {} } = field.extensions
  if (isEnumType(named)) return fc.constantFrom(...named.getValues().map(({ value }) => value as unknown))
  if (Array.isArray(jsonSchema['enum'])) return fc.constantFrom(...(jsonSchema['enum'] as unknown[]))
  if ('pattern' in jsonSchema) return fc.constant((jsonSchema['examples'] as unknown[])[0])
  if ('minimum' in jsonSchema) return fc.integer({ min: 1, max: Number(jsonSchema['maximum'] ?? 9) })
  return LEAVES[named.name]!
}

test.each(endpoints.filter(({ name }) => name !== 'GetReadiness'))(
  'whatever $name returns fits its schema',
  (each) => {
    const [root] = rootFields(each)
    const write = bodyWriter(rootFields(each))
    const schema = compiled(responseSchema(each))
    const fits = fc.property(dataOf(rootFields(each)), (data) => {
      // A look-up that finds nothing is an error.
      fc.pre(data[root!.name] !== null)
      return schema.Check(JSON.parse(write(data)))
    })
    expect(fc.check(fits, { numRuns: 50 })).toMatchObject({ failed: false })
  },
)

/** With all objects closed, so that a member without a schema does not fit. */
function compiled(schema: object): { Check: (value: unknown) => boolean } {
  const closed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(closed)
    if (typeof value !== 'object' || value === null) return value
    const inner = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, closed(each)]))
    return 'properties' in inner ? { ...inner, additionalProperties: false } : inner
  }
  return Schema.Compile(closed(schema) as object)
}

interface JsonSchema {
  readonly type?: unknown
  readonly properties?: Record<string, JsonSchema>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
}

describe('the tools', () => {
  const listed = TOOLS.map((tool) => tool.listed)
  const below = (schema: JsonSchema): JsonSchema[] => {
    const { properties = {}, items, anyOf = [] } = schema
    return [schema, ...[...Object.values(properties), ...(items ? [items] : []), ...anyOf].flatMap(below)]
  }

  test('take less than 8,000 tokens in the list', () => {
    expect(JSON.stringify(listed).length / 4).toBeLessThan(8_000)
  })

  test.each(listed)('$name has schemas that clients of all vendors read', (tool) => {
    const [input, output] = [tool.inputSchema, tool.outputSchema] as JsonSchema[]
    for (const schema of [input, output])
      expect(schema).toMatchObject({ type: 'object', properties: expect.any(Object) })
    expect(input).toMatchObject({ additionalProperties: false })
    for (const each of [...below(input!), ...below(output!)]) {
      expect(each, 'a type or variants').toSatisfy(
        ({ type, anyOf }: JsonSchema) => type !== undefined || anyOf !== undefined,
      )
      expect(Object.keys(each)).not.toContain('$ref')
      expect(Array.isArray(each.items?.type)).toBe(false)
    }
  })

  test('are operations of rest/', () => {
    expect(listed.length).toBe(
      [...operations.values()].filter(({ definition }) =>
        definition.directives?.some(({ name }) => name.value === 'tool'),
      ).length,
    )
  })
})
