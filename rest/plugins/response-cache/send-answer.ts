import type { FastifyReply, FastifyRequest } from 'fastify'
import { namesTag } from './entity-tag.ts'
import type { Answer } from './kept-answers.ts'
import type { CacheMetrics } from './metrics.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** Clients may keep an answer, and ask each time whether it still holds. */
const CACHE_CONTROL = 'no-cache'

/** The answer, or 304 to a client that has it. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  { tag, mediaType, body }: Answer,
  metrics: CacheMetrics,
): FastifyReply {
  reply.header('etag', tag)
  reply.header('cache-control', CACHE_CONTROL)
  const ifNoneMatch = request.headers['if-none-match']
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, tag)) {
    metrics.notModified()
    reply.code(304)
    // Fastify takes the body of a HEAD away itself, and would tell a length of 0 where there is none.
    if (request.method !== 'HEAD') return reply.send()
  }
  return reply.header('content-type', mediaType).send(body)
}
