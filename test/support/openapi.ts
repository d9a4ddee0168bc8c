import Schema from 'typebox/schema'

export type Json = Record<string, unknown>

interface Media {
  schema: Json
  example?: unknown
}
export interface Operation {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  security?: Record<string, string[]>[]
  parameters?: {
    name: string
    in: string
    required?: boolean
    schema: Json
    example?: unknown
    examples?: unknown
  }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<
    string,
    { description: string; headers?: Record<string, Json>; content?: Record<string, Media> }
  >
}
export interface OpenApi {
  openapi: string
  info: Json
  servers: { url: string }[]
  tags: { name: string }[]
  components: { schemas: Record<string, Json>; securitySchemes: Record<string, { name: string }> }
  webhooks: Record<string, { post: Operation }>
  paths: Record<string, Record<string, Operation>>
}

/** The schema with references resolved, and with additional properties forbidden. */
function closed(document: OpenApi, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((each) => closed(document, each))
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...rest } = schema as Json
  if (typeof $ref === 'string') return closed(document, resolveReference(document, $ref))
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, closed(document, value)]))
  return 'properties' in inner ? { ...inner, additionalProperties: false } : inner
}

/** Throws if the reference has no target. */
export function resolveReference({ components }: OpenApi, reference: string): Json {
  const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1] ?? ''
  const target = components.schemas[name]
  if (target === undefined) throw new Error(`nothing is at ${reference}`)
  return target
}

/** The schema that a reference names, or the schema itself. */
export function resolvedSchema(document: OpenApi, schema: Json): Json {
  const { $ref } = schema
  return typeof $ref === 'string' ? resolveReference(document, $ref) : schema
}

/** The problems of a value. Empty if there are none. */
export function problems(document: OpenApi, schema: Json, value: unknown): unknown[] {
  const [, errors] = Schema.Compile(closed(document, schema) as Json).Errors(value)
  return errors
}

/** The schema of the only media type of a response. */
export function responseSchema(document: OpenApi, path: string, status: number): Json | undefined {
  const { content = {} } = document.paths[path]?.['get']?.responses[status] ?? {}
  const schema = Object.values(content)[0]?.schema
  return schema && resolvedSchema(document, schema)
}
