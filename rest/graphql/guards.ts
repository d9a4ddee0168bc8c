import { execute, type ExecutionArgs, GraphQLError, subscribe } from 'graphql'
import type { Plugin } from 'graphql-yoga'
import { introspectionLimits } from '../../schema/introspection-limits.ts'
import { hasTooManyValues, LIMITS, parseLimited, sizeLimits } from '../../schema/limits.ts'

/** One says what is wrong; many, each with the whole value in it, would take seconds to write. */
const MAX_COERCION_ERRORS = 1
const MAX_ERRORS_TOLD = 10

export const TOO_MANY_VALUES = `The request has more than ${LIMITS.values} values`

/** Keeps one request from costing much more than it should, and its errors in the words of `tell`. */
export function guards(tell: (error: unknown) => GraphQLError): Plugin {
  return {
    onRequestParse: ({ requestParser, setRequestParser }) => {
      if (requestParser === undefined) return
      setRequestParser(async (request) => {
        try {
          return await requestParser(request)
        } catch (error) {
          throw error instanceof SyntaxError ? refusal('variables and extensions must be JSON') : error
        }
      })
    },
    onParams: ({ params }) => {
      checkSize(params)
    },
    onParse: ({ setParseFn }) =>
      setParseFn((source: string | { body: string }) =>
        parseLimited(typeof source === 'string' ? source : source.body),
      ),
    onValidate: ({ addValidationRule }) => {
      addValidationRule(sizeLimits)
      addValidationRule(introspectionLimits)
    },
    onExecute: ({ setExecuteFn }) =>
      setExecuteFn((args: ExecutionArgs) =>
        execute({ ...args, options: { maxCoercionErrors: MAX_COERCION_ERRORS } }),
      ),
    onSubscribe: ({ setSubscribeFn }) =>
      setSubscribeFn((args: ExecutionArgs) =>
        subscribe({ ...args, options: { maxCoercionErrors: MAX_COERCION_ERRORS } }),
      ),
    onResultProcess: (payload) => {
      const { result } = payload
      if (!('errors' in result) || result.errors === undefined) return
      payload.setResult({ ...result, errors: toldErrors(result.errors, tell) })
    },
  }
}

/** As many errors as a client is told, in the words of `tell`. */
export function toldErrors(
  errors: readonly GraphQLError[],
  tell: (error: unknown) => GraphQLError,
): GraphQLError[] {
  return errors
    .slice(0, MAX_ERRORS_TOLD)
    .map((error) => (error.extensions?.['status'] === undefined ? tell(error) : error))
}

/** Throws what a client may be told. */
export function checkSize(params: { query?: string }): void {
  if ((params.query?.length ?? 0) > LIMITS.characters)
    throw refusal(`The query has more than ${LIMITS.characters} characters`)
  if (hasTooManyValues(params)) throw refusal(TOO_MANY_VALUES)
}

/** An error of the request as a whole, with status 400. */
export function refusal(problem: string): GraphQLError {
  return new GraphQLError(problem, { extensions: { http: { status: 400 } } })
}
