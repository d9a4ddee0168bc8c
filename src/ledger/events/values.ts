/** Years 1 to 9999: what ISO 8601 with four digits and timestamptz have in common. */
const MIN_SECONDS = -62_135_596_800n
const MAX_SECONDS = 253_402_300_799n

/** Unix seconds as ISO 8601 text in UTC with milliseconds; RangeError outside the years 1 to 9999. */
export function isoFromSeconds(seconds: bigint): string {
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
    throw new RangeError(`${seconds} s is outside the years 1 to 9999`)
  return new Date(Number(seconds) * 1000).toISOString()
}

export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/** PostgreSQL text cannot hold NUL nor lone surrogates; what a program or a node lets through must not stop the indexer. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\u{fffd}')
}

const { rawJSON } = JSON as unknown as { rawJSON: (this: void, text: string) => unknown }

/** Compact JSON in which a bigint is an exact integer. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'bigint' ? rawJSON(each.toString()) : each,
  )
}

/** A decoded event for a jsonb column: integers over 2^53 survive as decimal text, bytes as hex. */
export function jsonbText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'bigint') return each.toString()
    if (each instanceof Uint8Array) return hex(each)
    return typeof each === 'string' ? storable(each) : each
  })
}
