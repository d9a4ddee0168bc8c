import { booleanParameter, enumParameter, integerParameter } from '../../src/domain/parameters.ts'
import { quoted } from '../../src/domain/quoted.ts'
import { DomainError, isDomainError } from '../../src/domain/errors.ts'

/** A query string as received. Each route reads it by its schema. */
export interface RawQuery extends Record<string, unknown> {
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
  return ({ text }) => resultOf(() => read(text, readers))
}

type ReadResult = { value: unknown } | { error: Error }

/** What Fastify expects of a reader. */
export function resultOf(read: () => unknown): ReadResult {
  try {
    return { value: read() }
  } catch (error) {
    if (isDomainError(error)) return { error }
    throw error
  }
}

function read(text: string, readers: Readers): Record<string, unknown> {
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
export interface JsonSchema {
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
