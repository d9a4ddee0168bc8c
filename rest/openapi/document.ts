import { NAME, VALUES } from '../contract/shapes.ts'

type Json = Record<string, unknown>

interface Media {
  schema: Json
  example?: unknown
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: Json
  example?: unknown
  examples?: unknown
}

interface Operation {
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

/** The parts of an OpenAPI 3.1 document that the code of this folder changes. */
export interface OpenApiDocument {
  servers?: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json> }
}

function operationsOf({ paths, webhooks }: OpenApiDocument): Operation[] {
  return [...Object.values(paths), ...Object.values(webhooks)].flatMap((item) => Object.values(item))
}

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
function resolved({ components }: OpenApiDocument, schema: Json): Json {
  const { $ref } = schema
  if (typeof $ref !== 'string') return schema
  const target = components.schemas[$ref.slice(PREFIX.length)]
  if (target === undefined) throw new Error(`Nothing is at ${$ref}`)
  return target
}

/** Gives every body an example, made of the examples of its members. */
export function addBodyExamples(document: OpenApiDocument): void {
  for (const { requestBody, responses } of operationsOf(document)) {
    const bodies = [requestBody, ...Object.values(responses)]
    for (const media of bodies.flatMap((body) => Object.values(body?.content ?? {})))
      media.example ??= exampleOf(document, media.schema)
  }
}

/** An example of the schema. Fields that only operators select may have none. */
function exampleOf(document: OpenApiDocument, schema: Json): unknown {
  const {
    examples,
    default: usual,
    const: only,
    enum: choices,
    oneOf,
    type,
    properties,
    items,
  } = resolved(document, schema)
  const inner = (each: unknown): unknown => exampleOf(document, each as Json)
  if (Array.isArray(examples)) return examples[0]
  const value = only ?? usual ?? (choices as unknown[] | undefined)?.[0]
  if (value !== undefined) return value
  if (Array.isArray(oneOf))
    return oneOf.some((each) => (each as Json)['type'] === 'null') ? null : inner(oneOf[0])
  if (type === 'object')
    return Object.fromEntries(Object.entries(properties ?? {}).map(([name, each]) => [name, inner(each)]))
  if (type === 'array') return [inner(items)]
  if (type === 'boolean') return true
  return type === 'integer' || type === 'number' ? 0 : 'text'
}

/**
 * Moves the examples of optional parameters into their schemas. Pages that send requests fill in
 * the example of a parameter, and an optional one changes the result.
 */
export function keepOptionalParametersEmpty(document: OpenApiDocument): void {
  for (const { parameters = [] } of operationsOf(document))
    for (const parameter of parameters) {
      if (parameter.required === true || parameter.example === undefined) continue
      parameter.schema = { ...parameter.schema, examples: [parameter.example] }
      delete parameter.example
    }
}

/**
 * The document for Swagger UI: without the defaults of optional parameters, which it fills in, and
 * with the origin of the page as server, because its policy allows no other.
 */
export function forPage(document: OpenApiDocument): OpenApiDocument {
  const copy = structuredClone(document)
  for (const { parameters = [] } of operationsOf(copy))
    for (const { required, schema } of parameters) if (required !== true) delete schema['default']
  return { ...copy, servers: [{ url: '/' }] }
}
