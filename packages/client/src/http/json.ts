import { EXACT_MEMBERS } from '../generated/exact-members.ts'

/** Integers that JSON.parse would round, outside of texts. */
const LONG_INTEGERS = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g

/** Parses JSON of the gateway. Members that are 64-bit integers become bigint, without rounding. */
export function parseJson(text: string): unknown {
  const marked = text.replace(LONG_INTEGERS, (found) =>
    found.startsWith('"') ? found : `{"$integer":"${found}"}`,
  )
  return JSON.parse(marked, (key, value: unknown) => {
    const digits = (value as { $integer?: string } | null)?.$integer
    if (digits !== undefined) return EXACT_MEMBERS.has(key) ? BigInt(digits) : Number(digits)
    return EXACT_MEMBERS.has(key) && Number.isInteger(value) ? BigInt(value as number) : value
  })
}
