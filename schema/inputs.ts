import type { InputFieldRef } from '@pothos/core'
import { builder, type Types } from './builder.ts'
import type { Column } from './columns.ts'
import type { JsonSchema } from './policy.ts'

/** A value that is always given. Other values can be absent or null. */
interface Given<Value> extends Column<Value> {
  readonly required: true
}

/** GraphQL refuses a request without it, and so do REST and tools. */
export const required = <Value>(given: Column<Value>): Given<Value> => ({ ...given, required: true })

/** For REST and tools, the service refuses a request without it, by an error of its own. */
export const expected = <Value>(given: Column<Value>): Given<Value> =>
  required({ ...given, extensions: { ...given.extensions, required: true } })

/** Null differs from an absent value. */
export const acceptsNull = <Value>(given: Column<Value>): Column<Value> => ({
  ...given,
  extensions: { ...given.extensions, acceptsNull: true },
})

/** With a range or a length, which OpenAPI shows and the service checks. */
export const limited = <Value>(given: Column<Value>, jsonSchema: JsonSchema): Column<Value> => ({
  ...given,
  extensions: { ...given.extensions, jsonSchema },
})

export const withDefault = <Value>(defaultValue: Value, given: Column<Value>) => ({ ...given, defaultValue })

type Inputs = Readonly<Record<string, Column<never>>>
type Refs<Fields> = {
  [Name in keyof Fields]: InputFieldRef<
    Types,
    Fields[Name] extends Given<infer Value>
      ? Value
      : Fields[Name] extends Column<infer Value>
        ? Value | null | undefined
        : never
  >
}

const refsOf = <Fields extends Inputs>(t: { readonly field: (options: never) => unknown }, fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, given]) => [name, t.field(given as never)]),
  ) as Refs<Fields>

export const args = <Fields extends Inputs>(fields: Fields) => builder.args((t) => refsOf(t, fields))

/** `isOneOf`: exactly one of the fields must be given. */
export const inputType = <Fields extends Inputs>(
  name: string,
  description: string,
  fields: Fields,
  { isOneOf = false } = {},
) => builder.inputType(name, { description, isOneOf, fields: (t) => refsOf(t, fields) })
