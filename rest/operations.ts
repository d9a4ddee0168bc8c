import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type DocumentNode, getOperationAST } from 'graphql'
import { createGraphQLContext } from '../schema/context.ts'
import { fragmentsOf } from '../schema/document-size.ts'
import { operationUnits, rootFieldUnits } from '../schema/operation-cost.ts'
import type { Caller } from '../src/identity/sessions/sessions.ts'
import type { Services } from '../src/compose/services.ts'
import { type Executor, type Found, operation } from './execute.ts'
import { chargeRequest, countRequest } from './plugins/rate-limits.ts'
import { JSON_TYPE, sendTagged } from './plugins/entity-tags.ts'
import { addVary } from './contract/vary.ts'
import { sendTablesAge } from './plugins/tables-age.ts'
import { authenticateRequest } from './plugins/wallet-auth.ts'
import type { RestApp } from './rest-app.ts'
import { joined, type Parts, tagOf } from './text-parts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The wallet that sends the request. Set in routes with `walletAuth`. */
    caller: Caller | null
  }
}

/** Whether all fields cost units. By default, the root fields do. */
interface ChargeOptions {
  readonly chargeAll?: boolean
}

interface ReadOptions<Data, Variables> extends ChargeOptions {
  readonly write: (data: Data, mediaType: string) => Parts
  /** Chooses the media type by the Accept header; JSON by default. */
  readonly mediaType?: (accept: string | undefined) => string
  /** What runs in place of the document: the one that `responseText` has rewritten. */
  readonly compiled?: TypedDocumentNode<Data, Variables>
}

export type Operations = ReturnType<typeof createOperations>

/**
 * Connects REST routes with the GraphQL schema. Operations are compiled when routes are registered.
 */
export function createOperations(
  app: RestApp,
  { services, executor }: { services: Services; executor: Executor },
) {
  app.decorateRequest('caller', null)
  const contextFor = (request: FastifyRequest) =>
    createGraphQLContext(services, {
      clientIp: request.ip,
      authenticate: request.caller ? async () => request.caller! : undefined,
      count: (kind) => countRequest(services, request, kind),
    })
  return {
    /** Compiles an operation. The result runs it for a request. */
    run: <Data, Variables extends Record<string, unknown>>(
      document: TypedDocumentNode<Data, Variables>,
      options?: ChargeOptions,
    ) => {
      const run = operation(document, executor)
      const charge = chargeFor(services, document, options)
      return async (request: FastifyRequest, variables: Variables): Promise<Found<Data>> => {
        charge(request, variables)
        return run(contextFor(request), variables)
      }
    },
    /** Compiles a public read. The result sends the response with an entity tag, or 304. */
    read: <Data, Variables extends Record<string, unknown>>(
      document: TypedDocumentNode<Data, Variables>,
      options: ReadOptions<Found<Data>, Variables>,
    ) => {
      const run = operation(options.compiled ?? document, executor)
      const charge = chargeFor(services, document, options)
      const { write, mediaType } = options
      return async (request: FastifyRequest, reply: FastifyReply, variables: Variables) => {
        charge(request, variables)
        const type = mediaType?.(request.headers.accept) ?? JSON_TYPE
        const parts = write(await run(contextFor(request), variables), type)
        if (mediaType !== undefined) addVary(reply, 'accept')
        reply.header('cache-control', 'no-cache')
        return sendTagged(request, reply, {
          type,
          etag: tagOf(type, parts),
          // Bytes, because Node takes longer for texts, and Fastify adds a charset to them.
          body: () => Buffer.from(joined(parts)),
        })
      }
    },
    /** Options of routes that read the tables: the response says how old they are. */
    tables: { preHandler: sendTablesAge(services) },
    /** Options of routes that require a wallet. It is authenticated before the body is read. */
    walletAuth: {
      config: { priority: 'high' as const },
      onRequest: async (request: FastifyRequest): Promise<void> => {
        request.caller = await authenticateRequest(services, request)
      },
    },
  }
}

/** Charges what an operation costs in addition to the one unit of every request. */
function chargeFor(services: Services, document: DocumentNode, { chargeAll = false }: ChargeOptions = {}) {
  const definition = getOperationAST(document)!
  const fragmentOf = fragmentsOf(document)
  return (request: FastifyRequest, variables: Record<string, unknown>) => {
    const units = chargeAll
      ? operationUnits(definition, fragmentOf, variables)
      : rootFieldUnits(definition, variables)
    chargeRequest(services, request, units, { paid: 1 })
  }
}
