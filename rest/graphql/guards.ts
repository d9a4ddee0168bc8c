import {
  type ASTVisitor,
  type DocumentNode,
  execute,
  type ExecutionArgs,
  getOperationAST,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  OperationTypeNode,
  subscribe,
  validate,
  type ValidationContext,
  type ValidationRule,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import type { RequestContext } from '../../schema/context.ts'
import { checkDocumentSize, fragmentsOf } from '../../schema/document-size.ts'
import { LIMITS, parseLimited } from '../../schema/limits.ts'
import { documentUnits, operationUnits } from '../../schema/operation-cost.ts'
import { isDomainError } from '../../src/domain/errors.ts'
import { hasMoreMembers, tooManyValues } from '../contract/json-size.ts'
import { badRequest, type OperationParams, type PersistedDocuments } from './persisted-documents.ts'

/** Each coercion error repeats the whole value, so writing many of them would take seconds. */
const COERCION_OPTIONS = { maxCoercionErrors: 1 }
const MAX_ERRORS = 10

export const TOO_MANY_VALUES = tooManyValues(LIMITS.values)

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

type ToClientError = (error: unknown) => GraphQLError

type Offer = (query: string, document: DocumentNode) => void

/**
 * Limits and charges operations over HTTP. `offer` gets the executed ones, which may be compiled
 * later. Sockets do the same in web-socket.ts.
 */
export function guards(
  documents: PersistedDocuments,
  toClientError: ToClientError,
  offer: Offer,
): Plugin<OperationRequest & { readonly params: OperationParams }, OperationRequest> {
  return {
    onRequestParse: ({ requestParser, setRequestParser }) => {
      if (requestParser === undefined) return
      setRequestParser(async (request) => {
        checkUrl(request)
        try {
          return await requestParser(request)
        } catch (error) {
          throw error instanceof SyntaxError ? badRequest('variables and extensions must be JSON') : error
        }
      })
    },
    onParams: ({ params, setParams, context }) => setParams(admitParams(documents, context, params)),
    onParse: ({ setParseFn }) =>
      setParseFn((source: string | { body: string }) =>
        parseLimited(typeof source === 'string' ? source : source.body),
      ),
    onValidate: ({ addValidationRule, setValidationFn }) => {
      addValidationRule(introspectionLimits)
      setValidationFn(validateLimited)
    },
    onExecute: ({ args, setExecuteFn, setResultAndStopExecution }) => {
      const { params } = args.contextValue
      documents.store(params)
      setExecuteFn((given: ExecutionArgs) => execute({ ...given, options: COERCION_OPTIONS }))
      if (chargeOperation(args, setResultAndStopExecution)) offer(params.query ?? '', args.document)
    },
    onSubscribe: ({ args, setSubscribeFn, setResultAndStopExecution }) => {
      documents.store(args.contextValue.params)
      setSubscribeFn((given: ExecutionArgs) => subscribe({ ...given, options: COERCION_OPTIONS }))
      chargeOperation(args, setResultAndStopExecution)
    },
    onResultProcess: (payload) => {
      const { result } = payload
      if (!('errors' in result) || result.errors === undefined) return
      payload.setResult({ ...result, errors: limitErrors(result.errors, toClientError) })
    },
  }
}

/**
 * Adds the document for a hash, and charges its length. Throws an error for the client if it is too
 * long or none is left.
 */
export function admitParams<Params extends OperationParams>(
  documents: PersistedDocuments,
  context: OperationRequest,
  given: Params,
): Params {
  const params = documents.complete(given)
  if ((params.query?.length ?? 0) > LIMITS.characters)
    throw badRequest(`The query has more than ${LIMITS.characters} characters`)
  chargeDocument(context, params.query)
  return params
}

/** Charges the length of a document, in addition to the one unit of every request. */
function chargeDocument({ charge }: OperationRequest, query?: string | null): void {
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
function chargeOperation(
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

/** Bodies are counted before they are parsed (json-size.ts). */
function checkUrl({ method, url }: Request): void {
  if (method !== 'GET') return
  const { searchParams } = new URL(url)
  for (const name of ['variables', 'extensions'])
    if (hasMoreMembers(searchParams.get(name) ?? '', LIMITS.values)) throw badRequest(TOO_MANY_VALUES)
}

/**
 * Validation rule: introspection fields must not have aliases, because each alias repeats all
 * descriptions in the response. Tools do not use aliases. `__type` may have them for several types.
 */
function introspectionLimits(context: ValidationContext): ASTVisitor {
  return {
    Field: (field) => {
      const describes = field.name.value === '__schema' || context.getParentType()?.name.startsWith('__')
      if (describes && field.alias !== undefined)
        context.reportError(new GraphQLError('Introspection must not use aliases', { nodes: field }))
    },
  }
}

/** Validates a document, unless its size alone is a reason to refuse it. */
function validateLimited(
  schema: GraphQLSchema,
  document: DocumentNode,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  try {
    checkDocumentSize(document)
  } catch (error) {
    if (error instanceof GraphQLError) return [error]
    throw error
  }
  return validate(schema, document, rules, { maxErrors: MAX_ERRORS })
}

/** The first errors, each as its client may see it. */
function limitErrors(errors: readonly GraphQLError[], toClientError: ToClientError): GraphQLError[] {
  return errors
    .slice(0, MAX_ERRORS)
    .map((error) => (error.extensions?.['status'] === undefined ? toClientError(error) : error))
}

/** The first errors for a socket, which has no HTTP status and headers. */
export function socketErrors(
  errors: readonly GraphQLError[],
  toClientError: ToClientError,
): GraphQLFormattedError[] {
  return limitErrors(errors, toClientError).map((error) => {
    const json = error.toJSON()
    return Object.assign(json, { extensions: { ...json.extensions, http: undefined } })
  })
}
