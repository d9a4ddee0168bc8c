import {
  defaultFieldResolver,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  OperationTypeNode,
} from 'graphql'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { Priority } from '../src/platform/overload/admission.ts'
import type { GuardedKind } from '../src/platform/rate-limits/rate-limits.ts'
import type { GraphQLContext } from './context.ts'

/** What JSON Schema says of a value and GraphQL cannot: an example, a range, a pattern. */
export type JsonSchema = Readonly<Record<string, unknown>>

interface InputExtensions {
  readonly jsonSchema?: JsonSchema
  /**
   * For REST and tools, the service refuses a request without it, by an error of its own. GraphQL
   * has the type.
   */
  readonly required?: boolean
  /** For REST and tools, the service refuses unknown texts of an enum, by an error of its own. */
  readonly servicesCheck?: boolean
  /** Null differs from an absent value. */
  readonly acceptsNull?: boolean
}

type FieldArgs = Readonly<Record<string, unknown>>

declare module 'graphql' {
  /** The policy of a field. Root fields that set nothing have low priority. */
  interface GraphQLFieldExtensions<_TSource, _TContext, _TArgs> {
    /** The limit that counts each call, in addition to the units of the request; null for none. */
    rateLimit?: GuardedKind | null
    /** One more limit that counts a call with these arguments, after `rateLimit`. */
    sponsoredRateLimit?: (args: FieldArgs) => GuardedKind | null
    /**
     * Units that a call costs, from its arguments and those of the field around it. Default: one
     * for root fields, none for others.
     */
    units?: (args: FieldArgs, outerArgs: FieldArgs) => number
    /** Values that reading an object costs, for the cost of an operation. Default: three. */
    weight?: number
    /**
     * For the cost of an operation: the most entries of a connection if they are fewer than a page,
     * and the assumed entries of a list without page arguments.
     */
    listSize?: number
    /**
     * What a call requires. `session`: a session token; a wallet signature is not enough.
     * `operator`: OPERATOR_TOKEN.
     */
    login?: 'wallet' | 'session' | 'operator'
    /** Of a root field: a response says how old the tables are, and has an entity tag. */
    readsTables?: boolean
    /** What a call can refuse, besides malformed arguments, the usual codes first. */
    errors?: readonly ErrorCode[]
    jsonSchema?: JsonSchema
    /** The field is not in the schema of another cluster than a localnet. */
    localnetOnly?: boolean
    /** Set `high` only for fields that send or require a wallet's signature. */
    priority?: Priority
  }
  interface GraphQLEnumTypeExtensions {
    /** The name of the schema in OpenAPI, which has it once. */
    readonly model?: string
  }
  interface GraphQLArgumentExtensions extends InputExtensions {}
  interface GraphQLInputFieldExtensions extends InputExtensions {}
}

/** The policy of fields that require a wallet: `authenticate` counts them as `authenticated`. */
export const WALLET_POLICY = { rateLimit: null, priority: 'high', login: 'wallet' } as const

const ERRORS = ' Errors: '

/** The description of a field, without the codes that follow it. */
export const purposeOf = ({ description }: { readonly description?: string | null | undefined }): string =>
  description?.split(ERRORS)[0] ?? ''

/**
 * Counts each call of a root field against its rate limit, before it is resolved. Adds the codes of
 * their errors to the descriptions of all fields.
 */
export function applyPolicies(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap()))
    if (isObjectType(type) || isInterfaceType(type))
      for (const field of Object.values(type.getFields())) {
        const { errors = [] } = field.extensions
        if (errors.length > 0) field.description += `${ERRORS}${errors.join(', ')}.`
      }
  for (const operation of Object.values(OperationTypeNode)) {
    for (const field of Object.values(schema.getRootType(operation)?.getFields() ?? {})) {
      const { rateLimit = null, sponsoredRateLimit } = field.extensions
      if (rateLimit === null) continue
      const step = operation === OperationTypeNode.SUBSCRIPTION ? 'subscribe' : 'resolve'
      const resolve = field[step] ?? defaultFieldResolver
      field[step] = (source, args, context: GraphQLContext, info) => {
        const counted = context.count(rateLimit)
        const sponsored = sponsoredRateLimit?.(args) ?? null
        if (counted === undefined && sponsored === null) return resolve(source, args, context, info)
        return Promise.resolve(counted)
          .then(() => (sponsored === null ? undefined : context.count(sponsored)))
          .then(() => resolve(source, args, context, info))
      }
    }
  }
  return schema
}
