import { type ExecutionArgs, getOperationAST, GraphQLError } from 'graphql'
import type { OperationResult, ServerOptions } from 'graphql-ws'
import { checkSize, toldErrors } from './guards.ts'
import type { GraphQLServer, ServerContext } from './yoga.ts'

/** What is known of a socket. */
export interface SocketExtra {
  readonly context: ServerContext
}

type Run = (args: ExecutionArgs) => OperationResult
type Options = ServerOptions<Record<string, unknown>, SocketExtra>

/** Operations of sockets go the way of those of requests: the same limits, context and words. */
export function socketOperations(
  { yoga, tell, documents }: GraphQLServer,
  admit: () => void,
): Pick<Options, 'onSubscribe' | 'onNext' | 'execute' | 'subscribe'> {
  const runs = new WeakMap<ExecutionArgs, { execute: Run; subscribe: Run }>()
  return {
    onSubscribe: async ({ extra }, _id, payload) => {
      try {
        admit()
        const params = documents.complete(payload)
        checkSize(params)
        const { schema, parse, validate, contextFactory, execute, subscribe } = yoga.getEnveloped({
          ...extra.context,
          params,
        })
        const document = parse(params.query)
        const errors = validate(schema, document)
        if (errors.length > 0) return toldErrors(errors, tell)
        const { operationName, variables: variableValues } = params
        if (!getOperationAST(document, operationName))
          return [tell(new GraphQLError('operationName must name an operation of the document'))]
        const contextValue = await contextFactory()
        const args = { schema, document, operationName, variableValues, contextValue }
        runs.set(args, { execute, subscribe })
        return args
      } catch (error) {
        return [tell(error)]
      }
    },
    execute: (args) => runOf(runs, args).execute(args),
    subscribe: (args) => runOf(runs, args).subscribe(args),
    onNext: (_context, _id, _params, _args, result) =>
      result.errors === undefined ? undefined : { ...result, errors: toldErrors(result.errors, tell) },
  }
}

function runOf<Value>(runs: WeakMap<ExecutionArgs, Value>, args: ExecutionArgs): Value {
  const run = runs.get(args)
  if (run === undefined) throw new Error('the operation was not prepared')
  return run
}
