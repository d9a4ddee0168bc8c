import type { FastifyInstance } from 'fastify'
import { booleanParameter, enumParameter, integerParameter } from '../../src/domain/parameters.ts'
import { unknownMember } from '../../src/domain/nearest-name.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { DomainError, isDomainError } from '../../src/domain/errors.ts'

/** A query string as received. Each route reads it by its schema. */
interface RawQuery extends Record<string, unknown> {
  readonly text: string
}

type ReadValue = (parameter: string, value: unknown) => unknown
/** A parameter of a list is repeated for each of its entries. */
type Readers = ReadonlyMap<string, { readonly read: ReadValue; readonly isList: boolean }>

/**
 * Creates a reader of query strings for a route's schema. It refuses unknown, repeated and badly
 * encoded parameters, and converts numbers, booleans and enums, because GraphQL variables have
 * types. The services check everything else.
 */
export function queryReader({ properties = {} }: JsonSchema): (query: RawQuery) => ReadResult {
  const readers: Readers = new Map(
    Object.entries(properties).map(([name, schema]) => [
      name,
      { read: valueReader(schema.items ?? schema), isList: schema.items !== undefined },
    ]),
  )
  return ({ text }) => resultOf(() => readPairs(text, readers))
}

type ReadResult = { value: unknown } | { error: Error }

/** What Fastify expects of a reader. */
function resultOf(read: () => unknown): ReadResult {
  try {
    return { value: read() }
  } catch (error) {
    if (isDomainError(error)) return { error }
    throw error
  }
}

function readPairs(text: string, readers: Readers): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  if (text === '') return values
  const pairs = text.split('&').filter((pair) => pair !== '')
  const given = Map.groupBy(pairs.map(decodePair), (pair) => pair.name)
  for (const [name, [first, ...more]] of given) {
    const reader = readers.get(name)
    if (reader === undefined) {
      const known = [...readers.keys()].join(', ') || 'none'
      throw new DomainError('UNKNOWN_PARAMETER', { given: quoted(name), known })
    }
    if (reader.isList) {
      values[name] = [first!, ...more].map(({ value }) => reader.read(name, value))
      continue
    }
    if (more.length > 0) {
      throw new DomainError('REPEATED_PARAMETER', { parameter: name, count: more.length + 1 })
    }
    values[name] = reader.read(name, first?.value ?? '')
  }
  return values
}

function decodePair(pair: string): { name: string; value: string } {
  const end = pair.indexOf('=')
  const rawName = end < 0 ? pair : pair.slice(0, end)
  const name = decode(rawName, () => 'A parameter name')
  return { name, value: end < 0 ? '' : decode(pair.slice(end + 1), () => quoted(name).slice(1, -1)) }
}

function decode(text: string, given: () => string): string {
  if (/^[\w.-]*$/.test(text)) return text
  try {
    if (/^[\x21-\x7e]*$/.test(text)) return decodeURIComponent(text.replaceAll('+', ' '))
  } catch (error) {
    if (!(error instanceof URIError)) throw error
  }
  throw new DomainError('INVALID_ENCODING', { given: given(), value: quoted(text) })
}

/**
 * Reads one value of a URL, or an integer or a choice of a body. Throws INVALID_INTEGER,
 * INVALID_BOOLEAN and INVALID_ENUM.
 */
export function valueReader({ type: kind, minimum, maximum, enum: choices }: JsonSchema): ReadValue {
  if (kind === 'integer')
    return integerParameter({ min: minimum ?? 0, max: maximum ?? Number.MAX_SAFE_INTEGER })
  if (kind === 'boolean') return booleanParameter
  if (choices !== undefined) return enumParameter(choices)
  return (_, text) => text
}

/** What readers use of the schema of a request. */
interface JsonSchema {
  /** Variants of an object. The services check that the members fit one of them. */
  oneOf?: JsonSchema[]
  /** Or a list of a type and `null`. */
  type?: string | readonly string[]
  properties?: Record<string, JsonSchema>
  required?: string[]
  items?: JsonSchema
  enum?: string[]
  minimum?: number
  maximum?: number
}

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

/** Reads the bodies of the routes of `app`, whatever they are, and forgets them. */
export function ignoreBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, payload, done) => {
    payload.resume()
    payload.on('end', () => done(null))
    payload.on('error', done)
  })
}
