import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Services } from '../../src/compose/services.ts'
import { type Json, object } from '../contract/shapes.ts'

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

/** Adds a name to the header Vary, in which CORS has `Origin` already. */
export function addVary(reply: FastifyReply, name: string): void {
  const given = reply.getHeader('vary')
  reply.header('vary', given === undefined ? name : `${String(given)}, ${name}`)
}

/**
 * A hook for routes that read the tables. Errors have the headers, too: they say whether an agent
 * that is not found can still appear.
 */
export function sendTablesAge({ info }: Services) {
  return async (_request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    // Before the read starts, so that it contains at least this slot.
    const age = await info.tablesAge()
    if (age !== null) reply.header('x-registry-slot', age.slot).header('x-registry-age', age.seconds)
  }
}

/** How old the tables of a read are, for the OpenAPI document. */
export const TABLES_AGE_HEADERS = {
  'x-registry-slot': {
    type: 'integer',
    description: 'The response contains everything of the ledger up to this slot, at least.',
    examples: [312_004_551],
  },
  'x-registry-age': {
    type: 'integer',
    description:
      'Seconds since the tables last contained everything of the ledger, rounded up. It grows while no ledger node responds.',
    examples: [1],
  },
}

export const TAG_HEADER = {
  etag: {
    type: 'string',
    description: 'Identifies the bytes of the response.',
  },
}

export const conditionalRequest = {
  headers: object(
    {
      'if-none-match': {
        type: 'string',
        description:
          'Entity tags of responses that the client has cached, or `*`. If one is still current, the response is 304.',
      },
    },
    { optional: ['if-none-match'] },
  ),
}

/** The response to a conditional request whose client is up to date. */
export const notModified = (headers: Json): Json => ({
  304: { type: 'null', description: 'The cached response of the client is still current.', headers },
})
