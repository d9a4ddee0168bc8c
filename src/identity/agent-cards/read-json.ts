import canonicalize from 'canonicalize'

/** JSON as received, and its canonical form by RFC 8785; null where the text means different things to different readers. */
export interface CardJson {
  readonly value: unknown
  readonly canonical: string | null
}

const MAX_DEPTH = 64
/** Several times those of a busy agent. What has more would hold up the event loop when it is written in order. */
const MAX_VALUES = 10_000
const STRINGS = /"(?:[^"\\]|\\.)*"(\s*:)?/gs

/** Reads a body; null where it is no JSON in UTF-8. */
export function readJson(body: Uint8Array): CardJson | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
    const value: unknown = JSON.parse(text)
    return { value, canonical: isUnambiguous(value, text) ? (canonicalize(value) ?? null) : null }
  } catch {
    return null
  }
}

/** No key twice in an object, no number that JavaScript rounds, no lone surrogate, and no more depth and values than anybody needs. */
function isUnambiguous(root: unknown, text: string): boolean {
  let keys = 0
  let values = 1
  const open: [value: unknown, depth: number][] = [[root, 1]]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next
    if (typeof value === 'string' && !value.isWellFormed()) return false
    if (typeof value === 'number' && !isExact(value)) return false
    if (typeof value !== 'object' || value === null) continue
    if (depth > MAX_DEPTH) return false
    const members = Object.entries(value)
    values += members.length
    if (values > MAX_VALUES) return false
    if (!Array.isArray(value)) {
      keys += members.length
      if (members.some(([name]) => !name.isWellFormed())) return false
    }
    for (const [, member] of members) open.push([member, depth + 1])
  }
  // JSON.parse keeps the last of equal keys, so that fewer are left than the text has.
  return keys === Array.from(text.matchAll(STRINGS)).filter(([, colon]) => colon !== undefined).length
}

function isExact(number: number): boolean {
  return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number))
}
