import { lexicographicSortSchema, printSchema } from 'graphql'
import { schema } from './index.ts'

/** The SDL, as committed in schema/schema.graphql and served at /graphql/schema.graphql. */
export function printedSchema(): string {
  return `${printSchema(lexicographicSortSchema(schema))}\n`
}
