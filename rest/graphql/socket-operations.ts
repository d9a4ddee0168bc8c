import { type ExecutionArgs, getOperationAST, GraphQLError } from 'graphql'
import type { OperationResult, ServerOptions } from 'graphql-ws'
import { operationPriority } from '../../schema/priority.ts'
import type { Caller } from '../../src/identity/sessions/session-store.ts'
import type { Admission } from '../../src/platform/overload/admission.ts'
import { chargeDocument, type OperationRequest } from './charges.ts'
import { badRequest, checkSize, socketErrors } from './guards.ts'
import type { GraphQLServer } from './yoga.ts'

/** Of the JSON of a payload, which the answer to a ping repeats. */
export const MAX_CONTROL_CHARACTERS = 1_024

/** Finds out who sends an operation, by the Authorization of `connection_init`. */
export type AuthenticateSocket = (authorization: string | undefined) => Promise<Caller>

export interface SocketExtra {
  readonly context: OperationRequest
  readonly authenticate: AuthenticateSocket
  /** Whether the socket has an open operation. */
  isBusy: () => boolean
  /** An operation has started. */
  touch: () => void
}

type Run = (args: ExecutionArgs) => OperationResult
type Options = ServerOptions<Record<string, unknown>, SocketExtra>

/** How graphql-ws passes from `onSubscribe` what `execute` and `subscribe` need. */
interface RootValue {
  readonly execute: Run
  readonly subscribe: Run
  /** Ends the operation's time in flight. */
  readonly release: () => void
}

/** Runs operations of sockets with the limits, context and error texts of HTTP requests. */
export function socketOperations(
  { yoga, toClientError, documents }: GraphQLServer,
  admission: Admission,
): Options {
  return {
    onConnect: (context) => {
      context.extra.isBusy = () => Object.keys(context.subscriptions).length > 0
    },
    onPing: (_context, payload) => checkControlPayload(payload),
    onPong: (_context, payload) => checkControlPayload(payload),
    onSubscribe: async ({ extra, connectionParams }, _id, payload) => {
      extra.touch()
      try {
        extra.context.charge(1, 0)
        admission.check('high', extra.context.clientIp)
        const params = documents.complete(payload)
        checkSize(params)
        chargeDocument(extra.context, params.query)
        const { schema, parse, validate, contextFactory, execute, subscribe } = yoga.getEnveloped({
          ...extra.context,
          authenticate: () => extra.authenticate(authorizationOf(connectionParams)),
          params,
        })
        const document = parse(params.query)
        const errors = validate(schema, document)
        if (errors.length > 0) return errors
        const { operationName, variables: variableValues } = params
        if (!getOperationAST(document, operationName))
          return [new GraphQLError('operationName must name an operation of the document')]
        const contextValue = await contextFactory()
        const release = admission.admit(operationPriority(document, operationName), extra.context.clientIp)
        const rootValue: RootValue = { execute, subscribe, release }
        return { schema, document, operationName, variableValues, contextValue, rootValue }
      } catch (error) {
        return [toClientError(error)]
      }
    },
    execute: (args) => whileInFlight(args, 'execute'),
    subscribe: (args) => whileInFlight(args, 'subscribe'),
    onNext: (_context, _id, _params, _args, result) =>
      result.errors === undefined
        ? undefined
        : { ...result, errors: socketErrors(result.errors, toClientError) },
    onError: (_context, _id, _payload, errors) => socketErrors(errors, toClientError),
  }
}

function checkControlPayload(payload: unknown): void {
  if (JSON.stringify(payload ?? null).length > MAX_CONTROL_CHARACTERS)
    throw badRequest(`The payload of a ping or pong has more than ${MAX_CONTROL_CHARACTERS} characters`)
}

/** Clients write the name in upper or lower case. */
function authorizationOf(params: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const given = params?.['Authorization'] ?? params?.['authorization']
  return typeof given === 'string' ? given : undefined
}

/** A query is in flight until it is answered, a subscription until it is open. */
async function whileInFlight(
  args: ExecutionArgs,
  step: 'execute' | 'subscribe',
): Promise<Awaited<OperationResult>> {
  const root = args.rootValue as RootValue
  try {
    return await root[step](args)
  } finally {
    root.release()
  }
}
