import type { TObject } from 'typebox'
import { enumParameter } from '../src/domain/parameters.ts'
import { quoted } from '../src/domain/quoted.ts'
import { DomainError, isDomainError } from '../src/errors.ts'

interface JsonSchema {
  type?: 'object' | 'array' | 'string' | 'boolean'
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: string[]
}

const EXPECTED = { object: 'an object', array: 'an array', string: 'text', boolean: 'true or false' } as const

/**
 * Makes a reader of JSON bodies from a route's schema, for GraphQL variables that have its types. A list at the top that is none
 * counts as missing, as does null, for which the services have the contract's texts. Other members are left out.
 */
export function bodyReader(schema: TObject): (body: unknown) => { value: unknown } | { error: Error } {
  return (body) => {
    try {
      if (kindOf(body) !== 'object') throw new DomainError('BODY_NOT_OBJECT')
      return { value: readMembers('', withoutWrongLists(body as object, schema), schema) }
    } catch (error) {
      if (isDomainError(error)) return { error }
      throw error
    }
  }
}

function withoutWrongLists(body: object, { properties }: TObject): Record<string, unknown> {
  const right = Object.entries(body).filter(
    ([name, value]) =>
      !Object.hasOwn(properties, name) ||
      (properties[name] as JsonSchema).type !== 'array' ||
      Array.isArray(value),
  )
  return Object.fromEntries(right)
}

function readMembers(
  place: string,
  value: Record<string, unknown>,
  { properties = {}, required = [] }: JsonSchema,
): Record<string, unknown> {
  const members: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    const given = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined
    if (given === undefined && !required.includes(name)) continue
    members[name] = read(place === '' ? name : `${place}.${name}`, given, schema)
  }
  return members
}

function read(place: string, value: unknown, schema: JsonSchema): unknown {
  const { type } = schema
  if (schema.enum !== undefined) return enumParameter(schema.enum)(place, value)
  if (type === undefined) return value
  if (kindOf(value) !== type) {
    const shown = typeof value === 'object' && value !== null ? kindOf(value) : quoted(value)
    throw new DomainError('INVALID_TYPE', { parameter: place, expected: EXPECTED[type], value: shown })
  }
  if (type === 'object') return readMembers(place, value as Record<string, unknown>, schema)
  if (type === 'array' && schema.items !== undefined) {
    const { items } = schema
    return (value as unknown[]).map((each, i) => read(`${place}[${i}]`, each, items))
  }
  return value
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
