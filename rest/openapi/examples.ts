import { resolved } from './components.ts'
import { type Json, type OpenApiDocument, operationsOf } from './types.ts'

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
