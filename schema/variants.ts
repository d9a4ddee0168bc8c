import {
  getNamedType,
  getNullableType,
  type GraphQLEnumType,
  type GraphQLInputField,
  type GraphQLArgument,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLOutputType,
  GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import { buildSchema } from './index.ts'

/** The schema of clusters other than a localnet that the service runs. */
export function schemaWithoutLocalnet(): GraphQLSchema {
  const schema = buildSchema()
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    const fields = type?.getFields() ?? {}
    for (const [name, { extensions }] of Object.entries(fields))
      if (extensions.localnetOnly) delete fields[name]
  }
  return schema
}

/**
 * The schema with the values of REST and tools: enums are texts, such as `created_at`, and the
 * services refuse a request without a required value, by errors that name it.
 */
export function schemaOfTexts(): GraphQLSchema {
  const schema = buildSchema()
  const types = Object.values(schema.getTypeMap())
  const inputs = types.flatMap((type) => (isInputObjectType(type) ? Object.values(type.getFields()) : []))
  const open = new Set(
    inputs.flatMap(({ type, extensions }) => (extensions.servicesCheck === true ? getNamedType(type) : [])),
  )
  for (const type of types) {
    if (isEnumType(type)) acceptTexts(type, open.has(type))
    if (isInputObjectType(type)) type.isOneOf = false
    if (isObjectType(type)) Object.values(type.getFields()).forEach(({ args }) => args.forEach(makeNullable))
  }
  inputs.forEach(makeNullable)
  // If a root field cannot be null, its failure hides those of the other fields.
  for (const type of [schema.getQueryType(), schema.getMutationType()])
    for (const field of Object.values(type?.getFields() ?? {})) field.type = getNullableType(field.type)
  return schema
}

/** `isOpen`: other texts are left to the services. */
function acceptTexts(type: GraphQLEnumType, isOpen: boolean): void {
  const byText = new Map(type.getValues().map((each) => [each.value as string, each]))
  // Documents contain names, and requests contain texts.
  const byName = type.getValue.bind(type)
  const asText = (value: unknown) => value as string
  Object.assign(type, {
    getValue: (given: string) =>
      byText.get(given) ?? byName(given) ?? (isOpen ? { value: given } : undefined),
    serialize: asText,
    coerceOutputValue: asText,
  })
}

function makeNullable(input: GraphQLInputField | GraphQLArgument): void {
  if (input.extensions.required === true) input.type = getNullableType(input.type)
}

/**
 * The schema for compiled operations that do not check their leaves: there, an enum is a scalar
 * that writes its names.
 */
export function schemaToCompile(): GraphQLSchema {
  const schema = buildSchema()
  const writers = new Map<GraphQLEnumType, GraphQLScalarType>()
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue
    for (const field of Object.values(type.getFields())) {
      const named = getNamedType(field.type)
      if (!isEnumType(named)) continue
      const writer = writers.get(named) ?? nameWriter(named)
      writers.set(named, writer)
      field.type = withNamed(field.type, writer)
    }
  }
  return schema
}

function nameWriter(type: GraphQLEnumType): GraphQLScalarType {
  const names = new Map(type.getValues().map(({ value, name }) => [value as unknown, name]))
  return new GraphQLScalarType({ name: type.name, coerceOutputValue: (value) => names.get(value) })
}

function withNamed(type: GraphQLOutputType, named: GraphQLScalarType): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(withNamed(type.ofType, named) as never)
  return isListType(type) ? new GraphQLList(withNamed(type.ofType, named)) : named
}
