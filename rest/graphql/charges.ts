import { type ExecutionArgs, getOperationAST, GraphQLError, OperationTypeNode } from 'graphql'
import type { RequestContext } from '../../schema/context.ts'
import { fragmentsOf } from '../../schema/document-size.ts'
import { documentUnits, operationUnits } from '../../schema/operation-cost.ts'
import { isDomainError } from '../../src/domain/errors.ts'
import type { OperationParams } from './persisted-documents.ts'

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
  readonly params: OperationParams
  chargeEvent?: () => void
}

/** Charges the length of a document, in addition to the one unit of every request. */
export function chargeDocument({ charge }: OperationRequest, query?: string | null): void {
  try {
    charge(1 + documentUnits(query ?? ''), 1)
  } catch (error) {
    throw wholeRequest(error)
  }
}

/**
 * Charges the fields of an operation, and lets a subscription charge its events. Stops it and
 * returns false if the client has too few units.
 */
export function chargeOperation(
  { document, operationName, variableValues, contextValue }: ExecutionArgs,
  stop: (result: { errors: GraphQLError[] }) => void,
): boolean {
  const operation = getOperationAST(document, operationName)
  if (!operation) return true
  const context = contextValue as OperationContext
  const paid = 1 + documentUnits(context.params.query ?? '')
  const units = operationUnits(operation, fragmentsOf(document), variableValues ?? {})
  if (operation.operation === OperationTypeNode.SUBSCRIPTION)
    context.chargeEvent = () => context.charge(units, 0)
  try {
    context.charge(paid + units - 1, paid)
    return true
  } catch (error) {
    stop({ errors: [wholeRequest(error)] })
    return false
  }
}

/** An error of the request as a whole, which has the HTTP status of REST. */
function wholeRequest(error: unknown): GraphQLError {
  if (!isDomainError(error)) throw error
  return new GraphQLError(error.message, { cause: error, extensions: { http: { status: error.status } } })
}
