import { hash } from 'node:crypto'

/** A strong validator (RFC 9110, section 8.8.3): other bytes or another media type, another tag. */
export function entityTag(mediaType: string, body: Buffer): string {
  return `"${hash('sha256', Buffer.concat([Buffer.from(`${mediaType}\n`), body]), 'base64url')}"`
}

const TAGS = /(?:W\/)?("[^"]*")/g

/** Whether If-None-Match names the tag, so that the client has the answer already: compared weakly, as section 13.1.2 says. */
export function namesTag(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch === tag || ifNoneMatch.trim() === '*') return true
  return Array.from(ifNoneMatch.matchAll(TAGS), ([, opaque]) => opaque).includes(tag)
}
