import { type Pubkey, pubkeyBytes, pubkeyFromBytes } from '@agent-registry/solana'
import type { ByteReader, ByteWriter } from './bytes.ts'
import type { Idl, IdlType } from './types.ts'

/** Reads and writes one IDL type. u64 and i64 are bigint, byte arrays Uint8Array, enums their variant in camelCase. */
export interface Codec {
  read(reader: ByteReader): unknown
  write(writer: ByteWriter, value: unknown): void
}

export function camelCase(name: string): string {
  return name
    .replace(/^[A-Z]/, (c) => c.toLowerCase())
    .replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase())
}

/** Makes the codec of a type; named types are resolved in the IDL. */
export function codecOf(idl: Idl, type: IdlType): Codec {
  if (typeof type === 'string') return PRIMITIVES[type]
  if ('option' in type) return optionCodec(codecOf(idl, type.option))
  if ('array' in type) return arrayCodec(idl, type.array)
  return definedCodec(idl, type.defined.name)
}

const PRIMITIVES: Record<Extract<IdlType, string>, Codec> = {
  bool: { read: (r) => r.bool(), write: (w, v) => w.u8(v === true ? 1 : 0) },
  u8: { read: (r) => r.u8(), write: (w, v) => w.u8(v as number) },
  u16: { read: (r) => r.u16(), write: (w, v) => w.u16(v as number) },
  i16: { read: (r) => r.i16(), write: (w, v) => w.i16(v as number) },
  u32: { read: (r) => r.u32(), write: (w, v) => w.u32(v as number) },
  u64: { read: (r) => r.u64(), write: (w, v) => w.u64(v as bigint) },
  i64: { read: (r) => r.i64(), write: (w, v) => w.i64(v as bigint) },
  string: { read: (r) => r.string(), write: (w, v) => w.string(v as string) },
  pubkey: { read: (r) => pubkeyFromBytes(r.take(32)), write: (w, v) => w.bytes(pubkeyBytes(v as Pubkey)) },
}

function optionCodec(inner: Codec): Codec {
  return {
    read: (reader) => (reader.bool() ? inner.read(reader) : null),
    write: (writer, value) => {
      const some = value !== null && value !== undefined
      writer.u8(some ? 1 : 0)
      if (some) inner.write(writer, value)
    },
  }
}

function arrayCodec(idl: Idl, [item, length]: [IdlType, number]): Codec {
  if (item === 'u8') {
    return {
      read: (reader) => Uint8Array.from(reader.take(length)),
      write: (writer, value) => {
        const bytes = value as Uint8Array
        if (bytes.length !== length) throw new RangeError(`expected ${length} bytes, got ${bytes.length}`)
        writer.bytes(bytes)
      },
    }
  }
  const inner = codecOf(idl, item)
  return {
    read: (reader) => Array.from({ length }, () => inner.read(reader)),
    write: (writer, value) => {
      const items = value as unknown[]
      if (items.length !== length) throw new RangeError(`expected ${length} items, got ${items.length}`)
      for (const each of items) inner.write(writer, each)
    },
  }
}

function definedCodec(idl: Idl, name: string): Codec {
  const definition = idl.types.find((each) => each.name === name)?.type
  if (definition === undefined) throw new Error(`the IDL defines no type ${name}`)
  if (definition.kind === 'enum')
    return enumCodec(
      name,
      definition.variants.map((each) => camelCase(each.name)),
    )
  return structCodec(definition.fields.map((field) => [camelCase(field.name), codecOf(idl, field.type)]))
}

function enumCodec(name: string, variants: string[]): Codec {
  return {
    read: (reader) => {
      const index = reader.u8()
      const variant = variants[index]
      if (variant === undefined) throw new RangeError(`${name} has no variant ${index}`)
      return variant
    },
    write: (writer, value) => {
      const index = variants.indexOf(value as string)
      if (index < 0) throw new RangeError(`${name} has no variant ${String(value)}`)
      writer.u8(index)
    },
  }
}

/** A struct: an object with camelCase keys, its fields in this order. */
export function structCodec(fields: [string, Codec][]): Codec {
  return {
    read: (reader) => {
      const value: Record<string, unknown> = {}
      for (const [key, codec] of fields) value[key] = codec.read(reader)
      return value
    },
    write: (writer, value) => {
      for (const [key, codec] of fields) codec.write(writer, (value as Record<string, unknown>)[key])
    },
  }
}
