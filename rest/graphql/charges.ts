import { type ExecutionArgs, getOperationAST, GraphQLError } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { RequestContext } from '../../schema/context.ts'
import { fragmentsOf } from '../../schema/document-size.ts'
import { documentUnits, operationUnits } from '../../schema/operation-cost.ts'
import { isDomainError } from '../../src/domain/errors.ts'

/** What /graphql knows of a client, over HTTP and on sockets. */
export interface OperationRequest extends RequestContext {
  /**
   * Charges units of the client, of which `paid` were charged before. Throws RATE_LIMITED and
   * REQUEST_TOO_EXPENSIVE.
   */
  readonly charge: (units: number, paid: number) => void
}

type OperationContext = OperationRequest & { readonly params: { readonly query?: string | null } }

/**
 * Charges the units of each operation that exceed the one unit of every request: for the length of
 * its document before it is parsed, and for its fields before it is executed.
 */
export const charges: Plugin<OperationRequest, OperationRequest> = {
  onParams: ({ params, context }) => {
    try {
      chargeDocument(context, params.query)
    } catch (error) {
      throw wholeRequest(error)
    }
  },
  onExecute: ({ args, setResultAndStopExecution: stop }) => chargeOperation(args, stop),
  onSubscribe: ({ args, setResultAndStopExecution: stop }) => chargeOperation(args, stop),
}

export function chargeDocument({ charge }: OperationRequest, query?: string | null): void {
  charge(1 + documentUnits(query ?? ''), 1)
}

function chargeOperation(
  { document, operationName, variableValues, contextValue }: ExecutionArgs,
  stop: (result: { errors: GraphQLError[] }) => void,
): void {
  const operation = getOperationAST(document, operationName)
  if (!operation) return
  const { charge, params } = contextValue as OperationContext
  const paid = 1 + documentUnits(params.query ?? '')
  try {
    const units = operationUnits(operation, fragmentsOf(document), variableValues ?? {})
    charge(paid + units - 1, paid)
  } catch (error) {
    stop({ errors: [wholeRequest(error)] })
  }
}

/** An error of the request as a whole, which has the HTTP status of REST. */
function wholeRequest(error: unknown): GraphQLError {
  if (!isDomainError(error)) throw error
  return new GraphQLError(error.message, { cause: error, extensions: { http: { status: error.status } } })
}
