/** Years 1 to 9999: what ISO 8601 with four digits and timestamptz have in common. */
const MIN_SECONDS = -62_135_596_800n
const MAX_SECONDS = 253_402_300_799n

/** Neighbours on the ledger often share their second. */
let last = { seconds: 0n, text: '1970-01-01T00:00:00.000Z' }

/** Unix seconds as ISO 8601 text in UTC with milliseconds; RangeError outside the years 1 to 9999. */
export function isoFromSeconds(seconds: bigint): string {
  if (seconds === last.seconds) return last.text
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
    throw new RangeError(`${seconds} s is outside the years 1 to 9999`)
  last = { seconds, text: new Date(Number(seconds) * 1000).toISOString() }
  return last.text
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/** PostgreSQL text cannot hold NUL nor lone surrogates; what a program or a node lets through must not stop the indexer. */
export function storable(text: string): string {
  return text.isWellFormed() && !text.includes('\0') ? text : text.toWellFormed().replaceAll('\0', '\u{fffd}')
}

const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown }

/** Compact JSON in which a bigint is an exact integer. */
export function jsonText(value: unknown): string {
  return JSON.stringify(mapped(value, exactInteger))
}

/** A decoded event for a jsonb column: integers over 2^53 survive as decimal text, bytes as hex. */
export function jsonbText(value: unknown): string {
  return JSON.stringify(mapped(value, storableLeaf))
}

function exactInteger(leaf: unknown): unknown {
  if (typeof leaf !== 'bigint') return leaf
  const number = Number(leaf)
  return Number.isSafeInteger(number) ? number : rawJSON(leaf.toString())
}

function storableLeaf(leaf: unknown): unknown {
  if (typeof leaf === 'bigint') return leaf.toString()
  if (leaf instanceof Uint8Array) return hex(leaf)
  return typeof leaf === 'string' ? storable(leaf) : leaf
}

/** A replacer of JSON.stringify's own is called with more ado, which took a tenth of decoding. */
function mapped(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return leaf(value)
  if (Array.isArray(value)) return value.map((each) => mapped(each, leaf))
  const result: Record<string, unknown> = {}
  for (const key in value) result[key] = mapped((value as Record<string, unknown>)[key], leaf)
  return result
}
