import {
  buildSchema,
  getDirectiveValues,
  type GraphQLField,
  type GraphQLSchema,
  isEnumType,
  isObjectType,
} from 'graphql'
import { expect, test } from 'vitest'
import { policyDirectives } from '../../../schema/directives.ts'
import { enumName } from '../../../schema/enum-values.ts'
import { schema } from '../../../schema/index.ts'
import { printedSchema } from '../../../schema/print.ts'
import { schemaOfTexts, schemaWithoutLocalnet } from '../../../schema/variants.ts'

type Field = GraphQLField<unknown, unknown>

function fieldsOf(of: GraphQLSchema): Map<string, Field> {
  const objects = Object.values(of.getTypeMap()).filter(
    (type) => isObjectType(type) && !type.name.startsWith('__'),
  )
  return new Map(
    objects.flatMap((type) =>
      isObjectType(type)
        ? Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field])
        : [],
    ),
  )
}

/** The arguments of each directive of a field in the SDL. */
const directivesOf = ({ astNode }: Field): Record<string, unknown> =>
  Object.fromEntries(
    policyDirectives().flatMap((each) => {
      const values = astNode ? getDirectiveValues(each, astNode) : undefined
      return values === undefined ? [] : [[each.name, { ...values }]]
    }),
  )

test('the SDL is a valid schema with the policy of every field', () => {
  const printed = fieldsOf(buildSchema(printedSchema()))
  const all = fieldsOf(schema)
  expect(Array.from(printed.keys()).sort()).toEqual(Array.from(all.keys()).sort())
  for (const [path, field] of all) {
    const { login, rateLimit, errors = [], localnetOnly = false, weight, units } = field.extensions
    const isRoot = /^(Query|Mutation|Subscription)\./.test(path)
    const cost = { units: units?.({}, {}) ?? (isRoot ? 1 : undefined), weight }
    const given = Object.fromEntries(Object.entries(cost).filter(([, value]) => value !== undefined))
    expect([path, directivesOf(printed.get(path)!)]).toEqual([
      path,
      {
        ...(Object.keys(given).length === 0 ? {} : { cost: given }),
        ...(login === undefined ? {} : { login: { with: enumName(login) } }),
        ...(rateLimit ? { rateLimit: { limit: enumName(rateLimit) } } : {}),
        ...(errors.length === 0 ? {} : { errors: { codes: errors } }),
        ...(localnetOnly ? { localnetOnly: {} } : {}),
      },
    ])
  }
})

test('the schema of other clusters lacks only the fields of a localnet', () => {
  const others = fieldsOf(buildSchema(printedSchema(schemaWithoutLocalnet())))
  const missing = Array.from(fieldsOf(schema).keys()).filter((path) => !others.has(path))
  expect(missing).toEqual(['Mutation.publishLocalnetCard', 'Mutation.fundLocalnetWallet'])
  expect(fieldsOf(schema).get('Mutation.fundLocalnetWallet')?.extensions.localnetOnly).toBe(true)
})

test.each([
  ['created_at', 'CREATED_AT'],
  ['dataAnalysis', 'DATA_ANALYSIS'],
  ['agent.reputation_updated', 'AGENT_REPUTATION_UPDATED'],
  ['mainnet-beta', 'MAINNET_BETA'],
  ['ping', 'PING'],
])('the text %s has the name %s', (text, name) => {
  expect(enumName(text)).toBe(name)
})

test('REST and tools have a schema of their own, with the texts of enums', () => {
  const own = schemaOfTexts().getType('ServiceCategory')
  const shared = schema.getType('ServiceCategory')
  if (!isEnumType(own) || !isEnumType(shared)) throw new Error('not an enum')
  expect([own, shared].map((type) => type.coerceOutputValue('dataAnalysis'))).toEqual([
    'dataAnalysis',
    'DATA_ANALYSIS',
  ])
  expect([own, shared].map((type) => type.getValue('dataAnalysis')?.value as unknown)).toEqual([
    'dataAnalysis',
    undefined,
  ])
})
