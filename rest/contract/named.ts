import type { TSchema } from 'typebox'

/** The member that gives a schema its name in the OpenAPI document. */
export const NAME = 'x-name'
/** The member with an example of the whole value. Default: an example of each member. */
export const SAMPLE = 'x-sample'

/**
 * Gives a schema a name. The OpenAPI document has it once, in `components.schemas`
 * (openapi/components.ts). Routes and validators see the schema itself.
 */
export function named<Schema extends TSchema>(name: string, schema: Schema, sample?: unknown): Schema {
  return { ...schema, [NAME]: name, ...(sample === undefined ? {} : { [SAMPLE]: sample }) }
}
