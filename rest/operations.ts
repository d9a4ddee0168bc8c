import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type DocumentNode, getOperationAST } from 'graphql'
import { createGraphQLContext } from '../schema/context.ts'
import { fragmentsOf } from '../schema/document-size.ts'
import { operationUnits, rootFieldUnits } from '../schema/operation-cost.ts'
import type { Caller } from '../src/identity/sessions/sessions.ts'
import type { Services } from '../src/compose/services.ts'
import { type Found, operation } from './execute.ts'
import { chargeRequest, countRequest } from './plugins/rate-limits.ts'
import { sendTablesAge } from './plugins/read-headers.ts'
import { authenticateRequest } from './plugins/wallet-auth.ts'
import type { RestContext } from './rest-context.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The wallet that sends the request. Set in routes with `authenticate`. */
    caller: Caller | null
  }
}

interface RunOptions<Data, Variables> {
  /**
   * A document of the operator: all its fields cost units, not only the root fields, and it is
   * compiled at the start, which an error stops.
   */
  readonly isOperators?: boolean
  /** What runs in place of the document: the one that `responseText` has rewritten. */
  readonly compiled?: TypedDocumentNode<Data, Variables>
}

export type Operations = ReturnType<typeof createOperations>

/**
 * Connects REST routes with the GraphQL schema. The project's own operations are compiled at their
 * first request: a start does not wait for them.
 */
export function createOperations(app: FastifyInstance, { services, executor }: RestContext) {
  app.decorateRequest('caller', null)
  const contextFor = (request: FastifyRequest) =>
    createGraphQLContext(services, {
      clientIp: request.ip,
      authenticate: request.caller ? async () => request.caller! : undefined,
      count: (kind) => countRequest(services, request, kind),
    })
  return {
    /** The result charges a request for an operation, and runs it. */
    run: <Data, Variables extends Record<string, unknown>>(
      document: TypedDocumentNode<Data, Variables>,
      { isOperators = false, compiled = document }: RunOptions<Data, Variables> = {},
    ) => {
      let run = isOperators ? operation(compiled, executor) : undefined
      const charge = chargeFor(services, document, isOperators)
      return async (request: FastifyRequest, variables: Variables): Promise<Found<Data>> => {
        charge(request, variables)
        run ??= operation(compiled, executor)
        return run(contextFor(request), variables)
      }
    },
    /** Options of routes that read the tables: the response says how old they are. */
    tables: { preHandler: sendTablesAge(services) },
    /** A hook of routes that require a wallet. It is authenticated before the body is read. */
    authenticate: async (request: FastifyRequest): Promise<void> => {
      request.caller = await authenticateRequest(services, request)
    },
  }
}

/** Charges what an operation costs in addition to the one unit of every request. */
function chargeFor(services: Services, document: DocumentNode, isOperators: boolean) {
  const definition = getOperationAST(document)!
  const fragmentOf = fragmentsOf(document)
  return (request: FastifyRequest, variables: Record<string, unknown>) => {
    const units = isOperators
      ? operationUnits(definition, fragmentOf, variables)
      : rootFieldUnits(definition, variables)
    chargeRequest(services, request, units, { paid: 1 })
  }
}
