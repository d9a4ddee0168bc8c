import { addressBytes } from './base58.ts'
import { concat, utf8 } from './bytes.ts'

/** Writes a value in Borsh. Throws RangeError or TypeError if the value does not fit. */
export type Write = (value: never) => Uint8Array

const integer =
  (bytes: number, signed = false): Write =>
  (value: number | bigint) => {
    const [min, max] = signed
      ? [-(1n << BigInt(8 * bytes - 1)), (1n << BigInt(8 * bytes - 1)) - 1n]
      : [0n, (1n << BigInt(8 * bytes)) - 1n]
    if (typeof value !== 'bigint' && !Number.isSafeInteger(value))
      throw new TypeError(`Expected an integer, got ${String(value)}`)
    const number = BigInt(value)
    if (number < min || number > max) throw new RangeError(`Expected ${min} to ${max}, got ${number}`)
    return Uint8Array.from({ length: bytes }, (_, i) => Number((number >> BigInt(8 * i)) & 255n))
  }

export const u8 = integer(1)
export const u16 = integer(2)
export const u32 = integer(4)
export const u64 = integer(8)
export const i16 = integer(2, true)
export const i64 = integer(8, true)
export const bool: Write = (value: boolean) => Uint8Array.of(value ? 1 : 0)
export const pubkey: Write = (value: string) => addressBytes(value)
export const string: Write = (value: string) => {
  if (typeof value !== 'string') throw new TypeError(`Expected text, got ${String(value)}`)
  const text = utf8(value)
  return concat(u32(text.length as never), text)
}

/** `null` and `undefined` mean no value. */
export const option =
  (write: Write): Write =>
  (value: unknown) =>
    value === null || value === undefined ? Uint8Array.of(0) : concat([1], write(value as never))

export const array =
  (write: Write, length: number): Write =>
  (value: ArrayLike<unknown>) => {
    if (value?.length !== length) throw new RangeError(`Expected ${length} items, got ${value?.length}`)
    return concat(...Array.from(value, (item) => write(item as never)))
  }

/** An enum without fields: the position of the name. */
export const variant =
  (names: readonly string[]): Write =>
  (value: string) => {
    const index = names.indexOf(value)
    if (index < 0) throw new RangeError(`Expected one of ${names.join(', ')}, got ${value}`)
    return Uint8Array.of(index)
  }
