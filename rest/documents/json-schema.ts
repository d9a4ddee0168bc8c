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
import { WEBHOOK_EVENT_TYPES } from '../../src/domain/webhook-events.ts'
import { DateTime, EVENT_TYPE_EXAMPLE, type Json, NAME, named, Pubkey, VALUES } from '../contract/shapes.ts'

const EventType = named('WebhookEventType', {
  type: 'string',
  enum: [...WEBHOOK_EVENT_TYPES],
  description: 'A type of event.',
})

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
  JSON: { output: {} },
  WebhookEventType: {
    output: EventType,
    // The service refuses other texts by its own error.
    input: { type: 'string', allOf: [EventType], examples: [EVENT_TYPE_EXAMPLE] },
  },
}

/** A value that an operation takes: an argument, or a member of an input object. */
export type Input = Pick<
  GraphQLArgument | GraphQLInputField,
  'name' | 'type' | 'description' | 'defaultValue' | 'extensions'
>

/** Whether GraphQL refuses a request without the value. */
export const isRequired = ({ type, defaultValue }: Input): boolean =>
  isNonNullType(type) && defaultValue === undefined

/** Whether a request without the value is refused, by GraphQL or by the service. */
const isExpected = (input: Input): boolean => isRequired(input) || input.extensions.required === true

/** The JSON Schema of a value in a request. */
export function inputSchema({ type, description, defaultValue, extensions }: Input): Json {
  const value = ofInputType(type)
  return {
    ...(extensions.acceptsNull === true ? { ...value, type: [value['type'], 'null'] } : value),
    ...(value[NAME] === undefined && description ? { description } : {}),
    ...(defaultValue === undefined || defaultValue === null ? {} : { default: defaultValue }),
    ...extensions.jsonSchema,
  }
}

function ofInputType(type: GraphQLInputType): Json {
  if (isNonNullType(type)) return ofInputType(type.ofType)
  if (isListType(type)) return { type: 'array', items: ofInputType(type.ofType) }
  const found: GraphQLNamedInputType = type
  if (isEnumType(found)) return choice(found)
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

export const choice = (type: GraphQLEnumType): Json => ({
  type: 'string',
  enum: type.getValues().map(({ value }) => value as string),
  [VALUES]: type.getValues().flatMap(({ value, description }) => meaning(String(value), description ?? '')),
})

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
