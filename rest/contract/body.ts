import { quoted } from '../../src/domain/quoted.ts'
import { DomainError } from '../../src/domain/errors.ts'
import { unknownMember } from '../../src/domain/nearest-name.ts'
import { type JsonSchema, resultOf, valueReader } from './query.ts'

const EXPECTED: Readonly<Record<string, string>> = {
  object: 'an object',
  array: 'an array',
  string: 'text',
  boolean: 'true or false',
}

/**
 * Creates a reader that converts JSON bodies to the types of a route's schema. It refuses unknown
 * members, and omits null unless the schema allows it. The services throw the errors of missing
 * top-level members. A value that should be a list but is not becomes null, for them to refuse.
 * With `refusesOtherLists`, it is refused here.
 */
export function bodyReader(given: JsonSchema, { refusesOtherLists = false } = {}) {
  const schema = withAllVariants(given)
  return (body: unknown) =>
    resultOf(() => {
      if (kindOf(body) !== 'object') throw new DomainError('BODY_NOT_OBJECT')
      const [right, wrongLists] = refusesOtherLists
        ? [body as Record<string, unknown>, {}]
        : withoutWrongLists(body as object, schema)
      return { ...readMembers('', right, schema), ...wrongLists }
    })
}

function withAllVariants({ oneOf, ...schema }: JsonSchema): JsonSchema {
  const variants = oneOf?.map(({ properties }) => properties) ?? []
  return { ...schema, properties: Object.assign({}, schema.properties, ...variants) }
}

function withoutWrongLists(
  body: object,
  { properties = {} }: JsonSchema,
): [right: Record<string, unknown>, wrong: Record<string, null>] {
  const isWrong = ([name, value]: [string, unknown]): boolean =>
    Object.hasOwn(properties, name) && properties[name]?.type === 'array' && !Array.isArray(value)
  const { right = [], wrong = [] } = Object.groupBy(Object.entries(body), (each) =>
    isWrong(each) ? 'wrong' : 'right',
  )
  return [Object.fromEntries(right), Object.fromEntries(wrong.map(([name]) => [name, null]))]
}

function readMembers(
  path: string,
  value: Record<string, unknown>,
  { properties = {}, required = [] }: JsonSchema,
): Record<string, unknown> {
  refuseUnknown(path, Object.keys(value), Object.keys(properties))
  const members: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(properties)) {
    if (Object.hasOwn(value, name) && value[name] === null && Array.isArray(schema.type)) {
      members[name] = null
      continue
    }
    const given = Object.hasOwn(value, name) ? (value[name] ?? undefined) : undefined
    if (given === undefined && (path === '' || !required.includes(name))) continue
    members[name] = read(memberPath(path, name), given, schema)
  }
  return members
}

function refuseUnknown(path: string, given: string[], known: string[]): void {
  const unknown = given.find((name) => !known.includes(name))
  if (unknown !== undefined) throw unknownMember(memberPath(path, unknown), unknown, known)
}

function memberPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function read(path: string, value: unknown, schema: JsonSchema): unknown {
  const [type] = [schema.type].flat()
  if (schema.enum !== undefined || type === 'integer') return valueReader({ ...schema, type })(path, value)
  if (type === undefined) return value
  if (kindOf(value) !== type) {
    const shown = typeof value === 'object' && value !== null ? kindOf(value) : quoted(value)
    throw new DomainError('INVALID_TYPE', { parameter: path, expected: EXPECTED[type]!, value: shown })
  }
  if (type === 'object') return readMembers(path, value as Record<string, unknown>, schema)
  if (type === 'array' && schema.items !== undefined) {
    const { items } = schema
    return (value as unknown[]).map((each, i) => read(`${path}[${i}]`, each, items))
  }
  return value
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
