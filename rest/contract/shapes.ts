/** A JSON Schema. */
export type Json = Readonly<Record<string, unknown>>

/** The member that gives a schema its name in the OpenAPI document. */
export const NAME = 'x-name'
/** The member that describes each value. It becomes a part of the description. */
export const VALUES = 'x-values'

/**
 * Gives a schema a name. The OpenAPI document has it once, in `components.schemas`
 * (openapi/describe-routes.ts). Routes and validators see the schema itself.
 */
export const named = (name: string, schema: Json): Json => ({ ...schema, [NAME]: name })

const WALLET = 'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'

export const Pubkey: Json = {
  type: 'string',
  pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
  examples: [WALLET],
}
export const DateTime: Json = {
  type: 'string',
  format: 'date-time',
  examples: ['2026-11-21T06:29:22.000Z'],
}

/** An object whose members are all required, except for `optional`. */
export function object(
  properties: Readonly<Record<string, Json>>,
  { optional = [], ...more }: Json & { readonly optional?: readonly string[] } = {},
): Json {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', ...(required.length === 0 ? {} : { required }), properties, ...more }
}

export const text = (description: string, example: string): Json => ({
  type: 'string',
  description,
  examples: [example],
})

export const integer = (description: string, example: number, range: Json = {}): Json => ({
  type: 'integer',
  ...range,
  description,
  examples: [example],
})
