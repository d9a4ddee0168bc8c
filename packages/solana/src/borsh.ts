import type { ByteReader } from './byte-reader.ts'
import { concat, utf8 } from './bytes.ts'
import { pubkeyBytes, pubkeyFromBytes } from './pubkey.ts'

/**
 * Reads and writes a value in Borsh. Integers of 64 bits are bigint. `read` throws RangeError or
 * TypeError for malformed bytes, and `write` for a value that does not fit.
 */
export interface Codec<Value> {
  read(reader: ByteReader): Value
  write(value: Value): Uint8Array
}

type Get<Value> = (view: DataView, at: number) => Value

function integer<Value extends number | bigint>(
  bytes: number,
  isSigned: boolean,
  get: Get<Value>,
): Codec<Value> {
  const range = 1n << BigInt(8 * bytes)
  const [min, max] = isSigned ? [-range / 2n, range / 2n - 1n] : [0n, range - 1n]
  return {
    read: (reader) => get(reader.view, reader.skip(bytes)),
    write: (value) => {
      if (typeof value !== 'bigint' && !Number.isSafeInteger(value))
        throw new TypeError(`Expected an integer, got ${String(value)}`)
      const number = BigInt(value)
      if (number < min || number > max) throw new RangeError(`Expected ${min} to ${max}, got ${number}`)
      return Uint8Array.from({ length: bytes }, (_, i) => Number((number >> BigInt(8 * i)) & 255n))
    },
  }
}

// PURE lets bundlers remove the codecs that a program does not use.
export const u8 = /* @__PURE__ */ integer(1, false, (view, at) => view.getUint8(at))
export const u16 = /* @__PURE__ */ integer(2, false, (view, at) => view.getUint16(at, true))
export const u32 = /* @__PURE__ */ integer(4, false, (view, at) => view.getUint32(at, true))
export const u64 = /* @__PURE__ */ integer(8, false, (view, at) => view.getBigUint64(at, true))
export const i16 = /* @__PURE__ */ integer(2, true, (view, at) => view.getInt16(at, true))
export const i64 = /* @__PURE__ */ integer(8, true, (view, at) => view.getBigInt64(at, true))

export const bool: Codec<boolean> = {
  read: (reader) => {
    const byte = reader.u8()
    if (byte > 1) throw new RangeError(`a bool is 0 or 1, got ${byte}`)
    return byte === 1
  },
  write: (value) => Uint8Array.of(value ? 1 : 0),
}

export const pubkey: Codec<string> = {
  read: (reader) => pubkeyFromBytes(reader.take(32)),
  write: pubkeyBytes,
}

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export const string: Codec<string> = {
  read: (reader) => decoder.decode(reader.take(reader.u32())),
  write: (value) => {
    if (typeof value !== 'string') throw new TypeError(`Expected text, got ${String(value)}`)
    const text = utf8(value)
    return concat(u32.write(text.length), text)
  },
}

/** The types without parameters, by their names in an IDL. */
export const PRIMITIVES = { bool, u8, u16, i16, u32, u64, i64, string, pubkey }

/** `null` and `undefined` mean no value. It is read as null. */
export const option = <Value>(inner: Codec<Value>): Codec<Value | null | undefined> => ({
  read: (reader) => (bool.read(reader) ? inner.read(reader) : null),
  write: (value) =>
    value === null || value === undefined ? Uint8Array.of(0) : concat([1], inner.write(value)),
})

/** Bytes are read as a Uint8Array with a copy of them. */
export const array = <Item>(item: Codec<Item>, length: number): Codec<ArrayLike<Item>> => ({
  read: (reader) =>
    item === (u8 as unknown)
      ? (Uint8Array.from(reader.take(length)) as ArrayLike<unknown> as ArrayLike<Item>)
      : Array.from({ length }, () => item.read(reader)),
  write: (value) => {
    if (value?.length !== length) throw new RangeError(`Expected ${length} items, got ${value?.length}`)
    return concat(...Array.from(value, (each) => item.write(each)))
  },
})

/** An enum without fields: the name at the position. */
export const variant = <Name extends string>(names: readonly Name[]): Codec<Name> => ({
  read: (reader) => {
    const index = reader.u8()
    const name = names[index]
    if (name === undefined) throw new RangeError(`Expected one of ${names.length} variants, got ${index}`)
    return name
  },
  write: (value) => {
    const index = names.indexOf(value)
    if (index < 0) throw new RangeError(`Expected one of ${names.join(', ')}, got ${value}`)
    return Uint8Array.of(index)
  },
})

/** The members in their order. */
export const struct = (
  members: readonly (readonly [name: string, codec: Codec<unknown>])[],
): Codec<Record<string, unknown>> => ({
  read: (reader) => {
    const value: Record<string, unknown> = {}
    for (const [name, codec] of members) value[name] = codec.read(reader)
    return value
  },
  write: (value) => concat(...members.map(([name, codec]) => codec.write(value[name]))),
})
