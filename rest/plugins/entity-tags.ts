import type { FastifyReply, FastifyRequest } from 'fastify'

export const JSON_TYPE = 'application/json; charset=utf-8'
const ENTITY_TAGS = /(?:W\/)?("[^"]*")/g

/** Sends a body with its strong entity tag, or 304 to a client that has it. */
export function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, body, etag }: { type: string; body: () => string | Buffer; etag: string },
): FastifyReply {
  reply.header('etag', etag)
  if (hasTag(request.headers['if-none-match'], etag)) {
    reply.code(304)
    // Fastify removes the body of a HEAD response, and keeps its length.
    if (request.method !== 'HEAD') return reply.send()
  }
  return reply.header('content-type', type).send(body())
}

/** Whether If-None-Match contains the tag. Compares weakly (RFC 9110, section 13.1.2). */
export function hasTag(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return Array.from(ifNoneMatch.matchAll(ENTITY_TAGS), ([, opaque]) => opaque).includes(tag)
}
