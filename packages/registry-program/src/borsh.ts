import { type Pubkey, pubkeyBytes, pubkeyFromBytes } from '@agent-registry/solana'
import type { Idl, IdlField, IdlType } from './idl.ts'

/**
 * Decodes and encodes one IDL type in Borsh. u64 and i64 are bigint, byte arrays are Uint8Array,
 * enums are the variant's name in camelCase, and an option without a value is null.
 */
export interface Codec {
  /** @throws RangeError or TypeError for malformed bytes */
  decode(reader: ByteReader): unknown
  /** @throws RangeError for a value that does not fit the type */
  encode(value: unknown): Uint8Array
}

/** Bytes with the position of the next read. */
export class ByteReader {
  readonly bytes: Buffer
  #offset: number

  constructor(bytes: Uint8Array, offset: number) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#offset = offset
  }

  get remaining(): number {
    return this.bytes.length - this.#offset
  }

  /** Moves past the next bytes and returns their offset. */
  skip(length: number): number {
    const start = this.#offset
    if (length > this.remaining)
      throw new RangeError(`need ${length} bytes at ${start}, have ${this.remaining}`)
    this.#offset += length
    return start
  }

  take(length: number): Buffer {
    const start = this.skip(length)
    return this.bytes.subarray(start, start + length)
  }
}

export function camelCase(name: string): string {
  return name
    .replace(/^[A-Z]/, (c) => c.toLowerCase())
    .replace(/_([a-z0-9])/g, (_, c: string) => c.toUpperCase())
}

function create(size: number, write: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(size)
  write(bytes)
  return bytes
}

const unsigned = (size: number) => ({
  decode: (reader: ByteReader): number => reader.bytes.readUIntLE(reader.skip(size), size),
  encode: (value: unknown): Buffer => create(size, (bytes) => bytes.writeUIntLE(value as number, 0, size)),
})
const u8 = unsigned(1)
const u32 = unsigned(4)
const bool = {
  decode: (reader: ByteReader): boolean => {
    const value = u8.decode(reader)
    if (value > 1) throw new RangeError(`a bool is 0 or 1, got ${value}`)
    return value === 1
  },
  encode: (value: unknown): Buffer => u8.encode(value === true ? 1 : 0),
}
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

const PRIMITIVES: Record<Extract<IdlType, string>, Codec> = {
  bool,
  u8,
  u16: unsigned(2),
  u32,
  i16: {
    decode: (reader) => reader.bytes.readInt16LE(reader.skip(2)),
    encode: (value) => create(2, (bytes) => bytes.writeInt16LE(value as number)),
  },
  u64: {
    decode: (reader) => reader.bytes.readBigUInt64LE(reader.skip(8)),
    encode: (value) => create(8, (bytes) => bytes.writeBigUInt64LE(value as bigint)),
  },
  i64: {
    decode: (reader) => reader.bytes.readBigInt64LE(reader.skip(8)),
    encode: (value) => create(8, (bytes) => bytes.writeBigInt64LE(value as bigint)),
  },
  string: {
    decode: (reader) => utf8.decode(reader.take(u32.decode(reader))),
    encode: (value) => {
      const text = Buffer.from(value as string, 'utf8')
      return Buffer.concat([u32.encode(text.length), text])
    },
  },
  pubkey: {
    decode: (reader) => pubkeyFromBytes(reader.take(32)),
    encode: (value) => pubkeyBytes(value as Pubkey),
  },
}

/** Creates the codec of a type. Named types are resolved in the IDL. */
export function codecOf(idl: Idl, type: IdlType): Codec {
  if (typeof type === 'string') return PRIMITIVES[type]
  if ('option' in type) return optionCodec(codecOf(idl, type.option))
  if ('array' in type) return arrayCodec(idl, type.array)
  const { name } = type.defined
  const definition = idl.types.find((each) => each.name === name)?.type
  if (definition === undefined) throw new Error(`the IDL defines no type ${name}`)
  if (definition.kind === 'struct') return structCodec(idl, definition.fields)
  return enumCodec(name, definition.variants)
}

/** A struct is an object with camelCase keys. */
export function structCodec(idl: Idl, fields: readonly IdlField[]): Codec {
  const codecs = fields.map(({ name, type }) => [camelCase(name), codecOf(idl, type)] as const)
  return {
    decode: (reader) => {
      const value: Record<string, unknown> = {}
      for (const [key, codec] of codecs) value[key] = codec.decode(reader)
      return value
    },
    encode: (value) =>
      Buffer.concat(codecs.map(([key, codec]) => codec.encode((value as Record<string, unknown>)[key]))),
  }
}

function optionCodec(inner: Codec): Codec {
  return {
    decode: (reader) => (bool.decode(reader) ? inner.decode(reader) : null),
    encode: (value) =>
      value === null || value === undefined
        ? bool.encode(false)
        : Buffer.concat([bool.encode(true), inner.encode(value)]),
  }
}

function arrayCodec(idl: Idl, [type, length]: [IdlType, number]): Codec {
  const check = <T extends ArrayLike<unknown>>(items: T): T => {
    if (items.length !== length) throw new RangeError(`expected ${length} items, got ${items.length}`)
    return items
  }
  if (type === 'u8') {
    return {
      decode: (reader) => Uint8Array.from(reader.take(length)),
      encode: (value) => check(value as Uint8Array),
    }
  }
  const item = codecOf(idl, type)
  return {
    decode: (reader) => Array.from({ length }, () => item.decode(reader)),
    encode: (value) => Buffer.concat(check(value as unknown[]).map((each) => item.encode(each))),
  }
}

function enumCodec(name: string, variants: readonly { name: string }[]): Codec {
  const names = variants.map((each) => camelCase(each.name))
  return {
    decode: (reader) => {
      const index = u8.decode(reader)
      const variant = names[index]
      if (variant === undefined) throw new RangeError(`${name} has no variant ${index}`)
      return variant
    },
    encode: (value) => {
      const index = names.indexOf(value as string)
      if (index < 0) throw new RangeError(`${name} has no variant ${String(value)}`)
      return u8.encode(index)
    },
  }
}
