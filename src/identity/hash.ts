import canonicalize from 'canonicalize'
import { createHash } from 'node:crypto'

/** The JSON Canonicalization Scheme (RFC 8785). */
export function jcs(value: unknown): string {
  return canonicalize(value)!
}

export function sha256(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

export function sha256Hex(data: string | Uint8Array): string {
  return sha256(data).toString('hex')
}
