import type { InputRef, OutputRef } from '@pothos/core'
import { builder, type Types } from './builder.ts'
import type { JsonSchema } from './policy.ts'

type Extensions = Readonly<Record<string, unknown>>

/**
 * A field that shows the member of a row with the same name, or a value that is given (inputs.ts).
 * `Value` is what the field can show: the compiler reports a member of another type, and one that
 * can be null where the field cannot.
 */
export interface Column<Value> {
  readonly type: unknown
  readonly description: string
  readonly nullable?: true
  readonly extensions: Extensions
  /** Only for the compiler. */
  readonly shows?: (value: Value) => void
}

export type Columns<Row> = { readonly [Name in keyof Row]?: Column<Row[Name]> }

const shownAs = (example: unknown, more: JsonSchema = {}): Extensions =>
  example === undefined ? {} : { jsonSchema: { ...more, examples: [example] } }

const column =
  <Value>(type: OutputRef<Value> | InputRef<Value> | string) =>
  (description: string, example?: unknown, more?: JsonSchema): Column<Value> => ({
    type,
    description,
    extensions: shownAs(example, more),
  })

// Each takes a description, an example, and what JSON Schema says of the value in addition.
export const text = column<string>('String')
export const id = column<string>('ID')
export const int = column<number>('Int')
export const float = column<number>('Float')
export const bool = column<boolean>('Boolean')
export const pubkey = column<string>('Pubkey')
export const time = column<string>('DateTime')
export const safeInt = column<number>('SafeInt')
/** The row has decimal text. The JSON of REST has a number, and so has the example. */
export const u64 = column<string>('U64')

/** A column of an enum or an object type. */
export const of = <Value>(
  type: OutputRef<Value> | InputRef<Value> | 'VerifiableCredential',
  ...rest: Parameters<ReturnType<typeof column>>
) => column(type)(...rest)

export const nullable = <Value>(given: Column<Value>) =>
  ({ ...given, nullable: true }) as Column<Value | null | undefined>

interface ListOptions<Value> {
  readonly shown?: readonly Value[]
  /** The assumed entries, for the cost of an operation. */
  readonly listSize?: number
}

export const list = <Value>(
  { type, description }: Column<Value>,
  { shown, listSize }: ListOptions<Value> = {},
): Column<readonly Value[]> => ({
  type: [type],
  description,
  extensions: { ...shownAs(shown), ...(listSize === undefined ? {} : { listSize }) },
})

export const fieldsOf = (
  t: { readonly expose: (member: never, options: never) => unknown },
  columns: object,
): object =>
  Object.fromEntries(
    Object.entries(columns).map(([member, given]) => [member, t.expose(member as never, given as never)]),
  )

/** An object type whose fields are members of its rows. `builder.objectFields` adds others. */
export function objectType<Row extends object>(
  name: string,
  description: string,
  columns: Columns<Row>,
  interfaces: readonly PothosSchemaTypes.InterfaceRef<Types, unknown>[] = [],
) {
  return builder.objectRef<Row>(name).implement({
    description,
    interfaces: interfaces as never,
    fields: (t) => fieldsOf(t, columns) as never,
  })
}
