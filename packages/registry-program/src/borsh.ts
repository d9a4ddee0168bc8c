import { array, type Codec, option, PRIMITIVES, struct, variant } from '@agent-registry/solana/borsh'
import { camelCase, type Idl, type IdlField, type IdlType } from './idl.ts'

/**
 * The codec of a type. Named types are resolved in the IDL. An enum is the name of its variant in
 * camelCase.
 */
export function codecOf(idl: Idl, type: IdlType): Codec<unknown> {
  if (typeof type === 'string') return PRIMITIVES[type]
  if ('option' in type) return option(codecOf(idl, type.option))
  if ('array' in type) return array(codecOf(idl, type.array[0]), type.array[1])
  const { name } = type.defined
  const definition = idl.types.find((each) => each.name === name)?.type
  if (definition === undefined) throw new Error(`the IDL defines no type ${name}`)
  if (definition.kind === 'struct') return structCodec(idl, definition.fields)
  return variant(definition.variants.map((each) => camelCase(each.name)))
}

/** A struct is an object with camelCase keys. */
export function structCodec(idl: Idl, fields: readonly IdlField[]): Codec<Record<string, unknown>> {
  return struct(fields.map(({ name, type }) => [camelCase(name), codecOf(idl, type)]))
}
