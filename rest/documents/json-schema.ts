import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLEnumType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql'
import { DateTime, type Json, NAME, named, Pubkey, VALUES } from '../contract/shapes.ts'

/** The JSON of each scalar: in responses, and in requests if that differs. */
const SCALARS: Readonly<Record<string, { readonly output: Json; readonly input?: Json }>> = {
  Int: { output: { type: 'integer' }, input: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 } },
  Float: { output: { type: 'number' } },
  String: { output: { type: 'string' } },
  ID: { output: { type: 'string' } },
  Boolean: { output: { type: 'boolean' } },
  SafeInt: { output: { type: 'integer', minimum: 0, examples: [312_004_551] } },
  Pubkey: { output: Pubkey },
  DateTime: { output: DateTime },
  U64: {
    output: { type: 'integer', format: 'uint64', minimum: 0 },
    input: { type: 'string', pattern: '^[0-9]{1,20}$' },
  },
  VerifiableCredential: { output: {} },
}

/** A value that an operation takes: an argument, or a member of an input object. */
export type Input = Pick<
  GraphQLArgument | GraphQLInputField,
  'name' | 'type' | 'description' | 'defaultValue' | 'extensions'
>

/** Whether GraphQL refuses a request without the value. */
export const isRequired = (input: Input): boolean => isExpected(input) && input.extensions.required !== true

/** Whether a request without the value is refused, by GraphQL or by the service. */
const isExpected = ({ type, defaultValue }: Input): boolean =>
  isNonNullType(type) && defaultValue === undefined

export function inputSchema({ type, description, defaultValue, extensions }: Input): Json {
  const value = ofInputType(type, extensions.servicesCheck === true)
  return {
    ...(extensions.acceptsNull === true ? { ...value, type: [value['type'], 'null'] } : value),
    ...(value[NAME] === undefined && description ? { description } : {}),
    ...(defaultValue === undefined || defaultValue === null ? {} : { default: defaultValue }),
    ...extensions.jsonSchema,
  }
}

/** `isOpen`: other texts of an enum are left to the services. */
function ofInputType(type: GraphQLInputType, isOpen: boolean): Json {
  if (isNonNullType(type)) return ofInputType(type.ofType, isOpen)
  if (isListType(type)) return { type: 'array', items: ofInputType(type.ofType, isOpen) }
  const found: GraphQLNamedInputType = type
  if (isEnumType(found)) {
    const texts = choice(found)
    return isOpen ? { type: 'string', allOf: [texts], examples: [exampleOf(found)] } : texts
  }
  if (isInputObjectType(found))
    return named(found.name.replace(/Input$/, ''), {
      description: found.description,
      ...objectOf(found.getFields()),
    })
  const { input, output } = scalar(found.name)
  return input ?? output
}

/** The JSON Schema of the object whose members are these values. */
export function objectOf(inputs: Readonly<Record<string, Input>>): Json {
  const properties = Object.entries(inputs).map(([name, input]) => [name, inputSchema(input)])
  const required = Object.keys(inputs).filter((name) => isExpected(inputs[name]!))
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(properties) as Json,
  }
}

export function choice(type: GraphQLEnumType): Json {
  const values = type.getValues()
  const texts = { type: 'string', enum: values.map(({ value }) => value as string) }
  const { model } = type.extensions
  if (model !== undefined) return named(model, { ...texts, description: type.description })
  return {
    ...texts,
    [VALUES]: values.flatMap(({ value, description }) => meaning(String(value), description ?? '')),
  }
}

const exampleOf = (type: GraphQLEnumType): string => type.getValues()[0]?.value as string

/** Empty if the description says no more than the value. */
function meaning(value: string, description: string): string[] {
  const letters = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '')
  return letters(value) === letters(description) ? [] : [`\`${value}\`: ${description}`]
}

export function scalar(name: string): (typeof SCALARS)[string] {
  const found = SCALARS[name]
  if (found === undefined)
    throw new Error(`The scalar ${name} has no JSON Schema (rest/documents/json-schema.ts)`)
  return found
}
