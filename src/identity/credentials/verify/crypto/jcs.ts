import canonicalize from 'canonicalize'
import { createHash } from 'node:crypto'

/** The JSON Canonicalization Scheme, RFC 8785. */
export function jcs(value: unknown): string {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('not a JSON value')
  return text
}

export function sha256Hex(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
