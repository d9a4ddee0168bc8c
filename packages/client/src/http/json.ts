import { EXACT_MEMBERS } from '../generated/api.ts'

/** Integers that JSON.parse would round, outside of texts. */
const LONG_INTEGERS = /"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g

/** Parses a response. Members that are 64-bit integers become bigint, without rounding. */
export function parseJson(text: string): unknown {
  const quoted = text.replace(LONG_INTEGERS, (found) => (found.startsWith('"') ? found : `"${found}"`))
  return JSON.parse(quoted, (key, value: unknown) => {
    if (!EXACT_MEMBERS.has(key)) return value
    if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
    return typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value
  })
}
