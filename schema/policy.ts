import { defaultFieldResolver, type GraphQLSchema, OperationTypeNode } from 'graphql'
import type { Priority } from '../src/platform/overload/priority.ts'
import type { RateLimitKind } from '../src/platform/rate-limits/kinds.ts'
import type { GraphQLContext } from './context.ts'

declare module 'graphql' {
  /** The policy of a root field. Fields that set nothing count as `reads` and have low priority. */
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The rate limit that counts each call of the field; null for none. */
    rateLimit?: RateLimitKind | null
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
      const { rateLimit = 'reads' } = field.extensions
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
