import { NAME, VALUES } from '../contract/shapes.ts'
import type { Json, OpenApiDocument } from './types.ts'

const PREFIX = '#/components/schemas/'

/**
 * Moves each named schema to `components.schemas` and leaves a reference. Throws if two different
 * schemas have one name.
 */
export function nameComponents(document: OpenApiDocument): void {
  const { schemas } = document.components
  const move = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(move)
    if (typeof value !== 'object' || value === null) return value
    const { [NAME]: name, [VALUES]: values = [], ...rest } = value as Json
    const schema = Object.fromEntries(Object.entries(rest).map(([key, each]) => [key, move(each)]))
    const texts = [schema['description'] ?? '', ...(values as string[])] as string[]
    if (texts.length > 1) schema['description'] = texts.join(' ').trim()
    if (typeof name !== 'string') return schema
    const other = (schemas[name] ??= schema)
    if (JSON.stringify(other) !== JSON.stringify(schema))
      throw new Error(`Two schemas have the name ${name}. Name one of them with @model`)
    return { $ref: `${PREFIX}${name}` }
  }
  document.paths = move(document.paths) as OpenApiDocument['paths']
  document.webhooks = move(document.webhooks) as OpenApiDocument['webhooks']
  document.components.schemas = Object.fromEntries(
    Object.entries(schemas).toSorted(([one], [other]) => (one < other ? -1 : 1)),
  )
}

/** The schema that a reference names, or the schema itself. */
export function resolved({ components }: OpenApiDocument, schema: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  const target = components.schemas[$ref.slice(PREFIX.length)]
  if (target === undefined) throw new Error(`Nothing is at ${$ref}`)
  return target
}
