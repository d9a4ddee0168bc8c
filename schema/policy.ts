import { defaultFieldResolver, type GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Priority } from '../src/platform/overload/priority.ts'
import type { GuardedKind } from '../src/platform/rate-limits/kinds.ts'
import type { GraphQLContext } from './context.ts'

type FieldArgs = Readonly<Record<string, unknown>>

declare module 'graphql' {
  /** The policy of a field. Root fields that set nothing have low priority. */
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The limit that counts each call, in addition to the units of the request; null for none. */
    rateLimit?: GuardedKind | null
    /**
     * Units that a call costs, from its arguments and those of the field around it. Default: one
     * for root fields, none for others.
     */
    units?: (args: FieldArgs, outerArgs: FieldArgs) => number
    /** Values that reading an object costs, for the cost of an operation. Default: three. */
    weight?: number
    /** Assumed entries of a list without page arguments, for the cost of an operation. */
    listSize?: number
    /** Set `high` only for fields that send or require a wallet's signature. */
    priority?: Priority
  }
}

/** The policy of fields that require a wallet: `authenticate` counts them as `authenticated`. */
export const WALLET_POLICY = { rateLimit: null, priority: 'high' } as const

/** Counts each call of a root field against its rate limit, before it is resolved. */
export function applyPolicies(schema: GraphQLSchema): GraphQLSchema {
  for (const operation of Object.values(OperationTypeNode)) {
    for (const field of Object.values(schema.getRootType(operation)?.getFields() ?? {})) {
      const { rateLimit = null } = field.extensions
      if (rateLimit === null) continue
      const step = operation === OperationTypeNode.SUBSCRIPTION ? 'subscribe' : 'resolve'
      const resolve = field[step] ?? defaultFieldResolver
      field[step] = (source, args, context: GraphQLContext, info) => {
        const counted = context.count(rateLimit)
        return counted === undefined
          ? resolve(source, args, context, info)
          : counted.then(() => resolve(source, args, context, info))
      }
    }
  }
  return schema
}
