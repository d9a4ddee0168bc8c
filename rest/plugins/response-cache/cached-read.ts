import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CachedResponse, ResponseCache } from './response-cache.ts'
import { addVary } from '../../contract/vary.ts'
import type { ReadTables } from '../../../src/domain/read-versions.ts'

export const JSON_TYPE = 'application/json; charset=utf-8'
const ENTITY_TAGS = /(?:W\/)?("[^"]*")/g

export interface ReadOptions<Data> {
  /**
   * All tables that the response depends on. It must not depend on a clock, a wallet or the ledger.
   */
  readonly tables: readonly ReadTables[]
  /** Writes the body. */
  readonly toText: (data: Data, mediaType: string) => string
  /** Chooses the media type by the Accept header; JSON by default. */
  readonly mediaType?: (accept: string | undefined) => string
}

export interface CachedReadOptions<Data, Variables> extends ReadOptions<Data> {
  readonly operationName: string
  readonly run: (request: FastifyRequest, variables: Variables) => Promise<Data>
  /** Charges what the operation costs in addition to the one unit of every request. */
  readonly charge: (request: FastifyRequest, variables: Record<string, unknown>) => void
  /** Null switches the cache off. */
  readonly cache: ResponseCache | null
}

/** Sends the response itself. */
export type CachedRead<Variables> = (
  request: FastifyRequest,
  reply: FastifyReply,
  variables: Variables,
) => Promise<never>

/** Makes the handler of a public read, which may come from the response cache. */
export function cachedRead<Data, Variables extends Record<string, unknown>>(
  options: CachedReadOptions<Data, Variables>,
): CachedRead<Variables> {
  const { operationName, tables, toText, mediaType: chooseMediaType, run, charge, cache } = options

  const read = async (request: FastifyRequest, variables: Variables, mediaType: string) => {
    // Also for a cached response, so that the cost of a request can be predicted.
    charge(request, variables)
    const readBody = async (): Promise<string> => toText(await run(request, variables), mediaType)
    if (cache === null) return { mediaType, body: toPayload(await readBody(), mediaType), etag: null }
    // Sorted, because a query string can have its parameters in any order.
    const key = JSON.stringify([operationName, mediaType, ...Object.entries(variables).sort(byName)])
    return cache.get({ key, tables, mediaType, readBody })
  }

  return async (request, reply, variables) => {
    const mediaType = chooseMediaType?.(request.headers.accept) ?? JSON_TYPE
    const response = await read(request, variables, mediaType)
    if (chooseMediaType !== undefined) addVary(reply, 'accept')
    if (response.etag !== null) {
      reply.headers({ etag: response.etag, 'cache-control': 'no-cache' })
      if (hasTag(request.headers['if-none-match'], response.etag)) {
        cache?.countNotModified()
        reply.code(304)
        // Fastify removes the body of a HEAD response, and keeps its length.
        if (request.method !== 'HEAD') return reply.send() as never
      }
    }
    return reply.header('content-type', response.mediaType).send(response.body) as never
  }
}

/**
 * Node sends a text together with the headers, in one write. Bytes only for types without a
 * charset, because Fastify adds one to JSON text.
 */
const toPayload = (body: string, mediaType: string): string | Buffer =>
  mediaType === JSON_TYPE ? body : Buffer.from(body)

const byName = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1)

/** Whether If-None-Match contains the tag. Compares weakly (RFC 9110, section 13.1.2). */
export function hasTag(ifNoneMatch: string | undefined, tag: CachedResponse['etag']): boolean {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch.trim() === '*') return true
  return Array.from(ifNoneMatch.matchAll(ENTITY_TAGS), ([, opaque]) => opaque).includes(tag)
}
