import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { getOperationAST } from 'graphql'
import { createGraphQLContext, type GraphQLContext } from '../../../schema/context.ts'
import type { Services } from '../../../src/services.ts'
import { type Executor, operation } from '../../execute.ts'
import type { ResponseCache } from './response-cache.ts'
import { JSON_TYPE, sendAnswer } from './send-answer.ts'
import type { ReadTables } from '../../../src/domain/read-versions.ts'

export interface ReadOptions<Data, Body> {
  /** All that the operation reads. Nothing else may decide what it answers: no clock, no wallet, no ledger. */
  readonly tables: readonly ReadTables[]
  readonly toBody: (data: Data) => Body
  /** By the request's Accept header; JSON by default. */
  readonly mediaType?: (accept: string | undefined) => string
}

/**
 * Answers a request. The variables' members are in the same order every time, so that the same question has the same key. It has the type of the body
 * that it sends, so that a route is held to its schema.
 */
export type Read<Variables, Body> = (
  request: FastifyRequest,
  reply: FastifyReply,
  variables: Variables,
) => Promise<Body>

interface CachedReadOptions<Data, Variables, Body> extends ReadOptions<Data, Body> {
  readonly document: TypedDocumentNode<Data, Variables>
  readonly executor: Executor
  readonly contextOf: (request: FastifyRequest) => GraphQLContext
  readonly services: Services
  readonly cache: ResponseCache | null
}

export function cachedRead<Data, Variables extends Record<string, unknown>, Body>(
  options: CachedReadOptions<Data, Variables, Body>,
): Read<Variables, Body> {
  const { document, tables, toBody, mediaType: byAccept, contextOf, services, cache } = options
  const run = operation(document, options.executor)
  const name = getOperationAST(document)?.name?.value ?? ''
  const mediaTypeOf = ({ headers }: FastifyRequest): string => byAccept?.(headers.accept) ?? JSON_TYPE
  const bodyOf = async (context: GraphQLContext, variables: Variables): Promise<string> =>
    JSON.stringify(toBody(await run(context, variables)))

  if (cache === null) {
    return async (request, reply, variables) => {
      const body = await bodyOf(contextOf(request), variables)
      reply.header('content-type', mediaTypeOf(request))
      if (byAccept === undefined) return reply.send(body) as never
      addVary(reply, 'accept')
      // Bytes, since Fastify adds a charset to JSON text, which these media types do not have.
      return reply.send(Buffer.from(body)) as never
    }
  }
  return async (request, reply, variables) => {
    await contextOf(request).count('reads')
    const mediaType = mediaTypeOf(request)
    const answer = await cache.answer({
      key: `${name} ${mediaType} ${JSON.stringify(variables)}`,
      tables,
      mediaType,
      // For whoever asks, and each of them is counted: so it is run as a call from inside, which is not.
      make: () => bodyOf(createGraphQLContext({ services, clientIp: '' }), variables),
    })
    if (byAccept !== undefined) addVary(reply, 'accept')
    return sendAnswer(request, reply, answer, cache.metrics) as never
  }
}

function addVary(reply: FastifyReply, name: string): void {
  const given = reply.getHeader('vary')
  reply.header('vary', given === undefined ? name : `${String(given)}, ${name}`)
}
