import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import type { ZodObject } from 'zod'

type JsonSchema = Record<string, unknown>

/**
 * The schema, with its JSON Schema stored. The SDK would otherwise convert the schemas of all tools
 * again for each request, because each request has a server of its own.
 */
export function withStoredJsonSchema(schema: ZodObject): StandardSchemaWithJSON {
  const { validate, jsonSchema } = (schema as StandardSchemaWithJSON)['~standard']
  let input: JsonSchema | undefined
  let output: JsonSchema | undefined
  return {
    '~standard': {
      version: 1,
      vendor: 'zod',
      validate,
      jsonSchema: {
        input: (options) => (input ??= jsonSchema.input(options)),
        output: (options) => (output ??= jsonSchema.output(options)),
      },
    },
  }
}
