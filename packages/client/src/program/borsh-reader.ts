import { toBase58 } from './base58.ts'

/** A value of an argument. Bytes are hex. */
export type DecodedValue = bigint | number | string | boolean | null | readonly DecodedValue[]

/** Takes the next bytes. Throws RangeError if there are not as many. */
type Take = (length: number) => Uint8Array
/** Reads a value in Borsh. Throws RangeError if the bytes are malformed. */
export type Read = (take: Take) => DecodedValue

const integer =
  (bytes: number, signed = false): Read =>
  (take) => {
    const value = take(bytes).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    const number = signed ? BigInt.asIntN(8 * bytes, value) : value
    return bytes > 4 ? number : Number(number)
  }

// PURE lets bundlers remove the readers that no instruction of a program uses.
export const u8 = /* @__PURE__ */ integer(1)
export const u16 = /* @__PURE__ */ integer(2)
export const u32 = /* @__PURE__ */ integer(4)
export const u64 = /* @__PURE__ */ integer(8)
export const i16 = /* @__PURE__ */ integer(2, true)
export const i64 = /* @__PURE__ */ integer(8, true)
export const pubkey: Read = (take) => toBase58(take(32))
export const bool: Read = flag
export const string: Read = (take) => {
  const length = u32(take) as number
  return new TextDecoder('utf-8', { fatal: true }).decode(take(length))
}

/** No value is null. */
export const option =
  (read: Read): Read =>
  (take) =>
    flag(take) ? read(take) : null

export const array =
  (read: Read, length: number): Read =>
  (take) =>
    read === u8
      ? Array.from(take(length), (byte) => byte.toString(16).padStart(2, '0')).join('')
      : Array.from({ length }, () => read(take))

/** An enum without fields: the name at the position. */
export const variant =
  (names: readonly string[]): Read =>
  (take) => {
    const name = names[u8(take) as number]
    if (name === undefined) throw new RangeError('The variant is unknown')
    return name
  }

function flag(take: Take): boolean {
  const [byte] = take(1)
  if (byte !== 0 && byte !== 1) throw new RangeError('A flag must be 0 or 1')
  return byte === 1
}
