import {
  type ASTVisitor,
  type DocumentNode,
  execute,
  type ExecutionArgs,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  subscribe,
  validate,
  type ValidationContext,
  type ValidationRule,
} from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { checkDocumentSize } from '../../schema/document-size.ts'
import { LIMITS, parseLimited } from '../../schema/limits.ts'
import { hasMoreMembers, tooManyValues } from '../contract/json-size.ts'
import { chargeDocument, chargeOperation, type OperationRequest } from './charges.ts'
import { badRequest, type OperationParams, type PersistedDocuments } from './persisted-documents.ts'

/** Each coercion error repeats the whole value, so writing many of them would take seconds. */
const COERCION_OPTIONS = { maxCoercionErrors: 1 }
const MAX_ERRORS = 10

export const TOO_MANY_VALUES = tooManyValues(LIMITS.values)

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
