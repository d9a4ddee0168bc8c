import { addressBytes } from './base58.ts'
import { concat, utf8 } from './bytes.ts'

/** Writes a value in Borsh. Throws RangeError or TypeError if the value does not fit. */
export type Write<Value> = (value: Value) => Uint8Array

const integer =
  <Value extends number | bigint>(bytes: number, signed = false): Write<Value> =>
  (value) => {
    const [min, max] = signed
      ? [-(1n << BigInt(8 * bytes - 1)), (1n << BigInt(8 * bytes - 1)) - 1n]
      : [0n, (1n << BigInt(8 * bytes)) - 1n]
    if (typeof value !== 'bigint' && !Number.isSafeInteger(value))
      throw new TypeError(`Expected an integer, got ${String(value)}`)
    const number = BigInt(value)
    if (number < min || number > max) throw new RangeError(`Expected ${min} to ${max}, got ${number}`)
    return Uint8Array.from({ length: bytes }, (_, i) => Number((number >> BigInt(8 * i)) & 255n))
  }

// PURE lets bundlers remove the writers that no instruction of a program uses.
export const u8 = /* @__PURE__ */ integer<number>(1)
export const u16 = /* @__PURE__ */ integer<number>(2)
export const u32 = /* @__PURE__ */ integer<number>(4)
export const u64 = /* @__PURE__ */ integer<bigint>(8)
export const i16 = /* @__PURE__ */ integer<number>(2, true)
export const i64 = /* @__PURE__ */ integer<bigint>(8, true)
export const bool: Write<boolean> = (value) => Uint8Array.of(value ? 1 : 0)
export const pubkey: Write<string> = addressBytes
export const string: Write<string> = (value) => {
  if (typeof value !== 'string') throw new TypeError(`Expected text, got ${String(value)}`)
  const text = utf8(value)
  return concat(u32(text.length), text)
}

/** `null` and `undefined` mean no value. */
export const option =
  <Value>(write: Write<Value>): Write<Value | null | undefined> =>
  (value) =>
    value === null || value === undefined ? Uint8Array.of(0) : concat([1], write(value))

export const array =
  <Item>(write: Write<Item>, length: number): Write<ArrayLike<Item>> =>
  (value) => {
    if (value?.length !== length) throw new RangeError(`Expected ${length} items, got ${value?.length}`)
    return concat(...Array.from(value, write))
  }

/** An enum without fields: the position of the name. */
export const variant =
  <Name extends string>(names: readonly Name[]): Write<Name> =>
  (value) => {
    const index = names.indexOf(value)
    if (index < 0) throw new RangeError(`Expected one of ${names.join(', ')}, got ${value}`)
    return Uint8Array.of(index)
  }
