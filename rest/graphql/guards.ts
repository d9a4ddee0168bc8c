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
import { hasTooManyValues, LIMITS, parseLimited } from '../../schema/limits.ts'
import { tooManyValues } from '../contract/json-size.ts'

/** Each coercion error repeats the whole value, so writing many of them would take seconds. */
const COERCION_OPTIONS = { maxCoercionErrors: 1 }
const MAX_ERRORS = 10

export const TOO_MANY_VALUES = tooManyValues(LIMITS.values)

type ToClientError = (error: unknown) => GraphQLError

/** Limits what one operation may cost, and the number of errors in its response. */
export function guards(toClientError: ToClientError): Plugin {
  return {
    onRequestParse: ({ requestParser, setRequestParser }) => {
      if (requestParser === undefined) return
      setRequestParser(async (request) => {
        try {
          return await requestParser(request)
        } catch (error) {
          throw error instanceof SyntaxError ? badRequest('variables and extensions must be JSON') : error
        }
      })
    },
    onParams: ({ params }) => checkSize(params),
    onParse: ({ setParseFn }) =>
      setParseFn((source: string | { body: string }) =>
        parseLimited(typeof source === 'string' ? source : source.body),
      ),
    onValidate: ({ addValidationRule, setValidationFn }) => {
      addValidationRule(introspectionLimits)
      setValidationFn(validateLimited)
    },
    onExecute: ({ setExecuteFn }) =>
      setExecuteFn((args: ExecutionArgs) => execute({ ...args, options: COERCION_OPTIONS })),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn((args: ExecutionArgs) => subscribe({ ...args, options: COERCION_OPTIONS })),
    onResultProcess: (payload) => {
      const { result } = payload
      if (!('errors' in result) || result.errors === undefined) return
      payload.setResult({ ...result, errors: limitErrors(result.errors, toClientError) })
    },
  }
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
export function limitErrors(errors: readonly GraphQLError[], toClientError: ToClientError): GraphQLError[] {
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

/** Throws an error for the client if the query is too long or has too many values. */
export function checkSize(params: { query?: string }): void {
  if ((params.query?.length ?? 0) > LIMITS.characters)
    throw badRequest(`The query has more than ${LIMITS.characters} characters`)
  if (hasTooManyValues(params)) throw badRequest(TOO_MANY_VALUES)
}

/** An error of the request as a whole, with status 400. */
export function badRequest(problem: string): GraphQLError {
  return new GraphQLError(problem, { extensions: { http: { status: 400 } } })
}
