import { EXACT_MEMBERS } from '../generated/exact-members.ts'

const TEXTS_AND_NUMBERS = /"(?:[^"\\]+|\\.)*"|-?\d[\d.eE+-]*/g
/** Integers that JSON.parse would round. */
const LONG_INTEGER = /^-?\d{16,}$/

/** Parses JSON of the gateway. Members that are 64-bit integers become bigint, without rounding. */
export function parseJson(text: string): unknown {
  const marked = text.replace(TEXTS_AND_NUMBERS, (found) =>
    LONG_INTEGER.test(found) ? `{"$integer":"${found}"}` : found,
  )
  return JSON.parse(marked, (key, value: unknown) => {
    const digits = (value as { $integer?: string } | null)?.$integer
    if (digits !== undefined) return EXACT_MEMBERS.has(key) ? BigInt(digits) : Number(digits)
    return EXACT_MEMBERS.has(key) && Number.isInteger(value) ? BigInt(value as number) : value
  })
}
