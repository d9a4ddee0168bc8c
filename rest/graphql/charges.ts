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
  /** Charges units for what was done already. Returns the ms until the client may go on. */
  readonly chargeUsed: (units: number) => number
}

type OperationContext = OperationRequest & {
  readonly params: { readonly query?: string | null }
  chargeEvent?: () => void
}

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
  onExecute: ({ args, setResultAndStopExecution: stop }) => {
    chargeOperation(args, stop)
  },
  onSubscribe: ({ args, setResultAndStopExecution: stop }) => {
    const units = chargeOperation(args, stop)
    const context = args.contextValue as OperationContext
    context.chargeEvent = () => context.charge(units, 0)
  },
}

export function chargeDocument({ charge }: OperationRequest, query?: string | null): void {
  charge(1 + documentUnits(query ?? ''), 1)
}

/** Returns the units of the operation. */
function chargeOperation(
  { document, operationName, variableValues, contextValue }: ExecutionArgs,
  stop: (result: { errors: GraphQLError[] }) => void,
): number {
  const operation = getOperationAST(document, operationName)
  if (!operation) return 1
  const { charge, params } = contextValue as OperationContext
  const paid = 1 + documentUnits(params.query ?? '')
  const units = operationUnits(operation, fragmentsOf(document), variableValues ?? {})
  try {
    charge(paid + units - 1, paid)
  } catch (error) {
    stop({ errors: [wholeRequest(error)] })
  }
  return units
}

/** An error of the request as a whole, which has the HTTP status of REST. */
function wholeRequest(error: unknown): GraphQLError {
  if (!isDomainError(error)) throw error
  return new GraphQLError(error.message, { cause: error, extensions: { http: { status: error.status } } })
}
