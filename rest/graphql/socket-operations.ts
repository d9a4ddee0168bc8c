import { type ExecutionArgs, getOperationAST, GraphQLError } from 'graphql'
import type { OperationResult, ServerOptions } from 'graphql-ws'
import type { RequestContext } from '../../schema/context.ts'
import { operationPriority } from '../../schema/priority.ts'
import type { Admission } from '../../src/platform/overload/admission.ts'
import { checkSize, toldErrors } from './guards.ts'
import type { GraphQLServer } from './yoga.ts'

/** What is known of a socket. */
export interface SocketExtra {
  readonly context: RequestContext
}

type Run = (args: ExecutionArgs) => OperationResult
type Options = ServerOptions<Record<string, unknown>, SocketExtra>

/** Operations of sockets go the way of those of requests: the same limits, context and words. */
export function socketOperations(
  { yoga, tell, documents }: GraphQLServer,
  admission: Admission,
): Pick<Options, 'onSubscribe' | 'onNext' | 'execute' | 'subscribe'> {
  const runs = new WeakMap<ExecutionArgs, { execute: Run; subscribe: Run; leave: () => void }>()
  return {
    onSubscribe: async ({ extra }, _id, payload) => {
      try {
        admission.check('high')
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
        const leave = admission.admit(operationPriority(document, operationName))
        runs.set(args, { execute, subscribe, leave })
        return args
      } catch (error) {
        return [tell(error)]
      }
    },
    execute: async (args) => {
      const { execute, leave } = runOf(runs, args)
      return settled(() => execute(args), leave)
    },
    subscribe: async (args) => {
      const { subscribe, leave } = runOf(runs, args)
      return settled(() => subscribe(args), leave)
    },
    onNext: (_context, _id, _params, _args, result) =>
      result.errors === undefined ? undefined : { ...result, errors: toldErrors(result.errors, tell) },
  }
}

/** An operation is in hand until it is answered; a subscription until it is open. */
async function settled(run: () => OperationResult, leave: () => void): Promise<Awaited<OperationResult>> {
  try {
    return await run()
  } finally {
    leave()
  }
}

function runOf<Value>(runs: WeakMap<ExecutionArgs, Value>, args: ExecutionArgs): Value {
  const run = runs.get(args)
  if (run === undefined) throw new Error('the operation was not prepared')
  return run
}
