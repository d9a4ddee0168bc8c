import {
  type ConstDirectiveNode,
  type GraphQLField,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type InterfaceTypeDefinitionNode,
  lexicographicSortSchema,
  type ObjectTypeDefinitionNode,
  parse,
  print,
  printSchema,
  visit,
} from 'graphql'
import { schema as completeSchema } from './index.ts'
import { enumName } from './enum-values.ts'

/** The SDL, as committed in schema/schema.graphql and served at /graphql/schema.graphql. */
export function printedSchema(schema: GraphQLSchema = completeSchema): string {
  const document = parse(printSchema(lexicographicSortSchema(schema)))
  const roots = new Set<unknown>([
    schema.getQueryType(),
    schema.getMutationType(),
    schema.getSubscriptionType(),
  ])
  const withPolicies = (type: ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode) => {
    const found = schema.getType(type.name.value) as GraphQLObjectType | GraphQLInterfaceType
    const fields = type.fields?.map((node) => {
      const policy = policyOf(found.getFields()[node.name.value]!, roots.has(found))
      return { ...node, directives: [...(node.directives ?? []), ...policy] }
    })
    return { ...type, fields }
  }
  const printed = visit(document, {
    ObjectTypeDefinition: withPolicies,
    InterfaceTypeDefinition: withPolicies,
  })
  return `${print(printed)}\n`
}

type Field = GraphQLField<unknown, unknown>

function policyOf({ extensions }: Field, isRoot: boolean): ConstDirectiveNode[] {
  const { units, weight, login, rateLimit, errors = [], localnetOnly } = extensions
  const cost = {
    units: units?.({}, {}) ?? (isRoot ? 1 : undefined),
    weight,
  }
  return [
    ...directive('cost', cost.units === undefined && weight === undefined ? null : cost),
    ...directive('login', login === undefined ? null : { with: enumName(login) }),
    ...directive('rateLimit', rateLimit ? { limit: enumName(rateLimit) } : null),
    ...directive('errors', errors.length === 0 ? null : { codes: errors }),
    ...directive('localnetOnly', localnetOnly === true ? {} : null),
  ]
}

/** Empty without arguments. Texts are names of enums. */
function directive(
  name: string,
  args: Readonly<Record<string, string | number | readonly string[] | undefined>> | null,
): ConstDirectiveNode[] {
  if (args === null) return []
  const written = Object.entries(args).flatMap(([key, value]) =>
    value === undefined ? [] : `${key}: ${Array.isArray(value) ? `[${value.join(' ')}]` : String(value)}`,
  )
  const text = `@${name}${written.length === 0 ? '' : `(${written.join(' ')})`}`
  const [type] = parse(`type T { f: Int ${text} }`).definitions as [ObjectTypeDefinitionNode]
  return [...(type.fields?.[0]?.directives ?? [])]
}
