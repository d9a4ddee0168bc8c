import { defaultFieldResolver, type GraphQLSchema } from 'graphql'
import type { RateLimitKind } from '../src/platform/rate-limits/kinds.ts'
import type { GraphQLContext } from './context.ts'

/** Queries that are no plain reads; `null` is not counted: load balancers ask without pause, and wallets are counted when authenticated. */
const QUERIES: Readonly<Record<string, RateLimitKind | null>> = {
  health: null,
  readiness: null,
  webhooks: null,
  webhookDeliveries: null,
  webhookDeliveriesConnection: null,
}

/** Every mutation is here; `null` is one that only a wallet may call, which is counted when the wallet is authenticated. */
const MUTATIONS: Readonly<Record<string, RateLimitKind | null>> = {
  prepareTransaction: 'prepare',
  submitTransaction: 'submit',
  prepareSponsoredTransaction: 'sponsoredPrepare',
  registerSponsored: 'register',
  submitSponsoredRegistration: 'submit',
  verifyCredential: 'verify',
  createWebhook: null,
  updateWebhook: null,
  deleteWebhook: null,
  rotateWebhookSecret: null,
  pingWebhook: null,
  resendWebhookDelivery: null,
  recoverWebhook: null,
}

type RootType = 'Query' | 'Mutation' | 'Subscription'

/** The kind that a root field counts as; undefined for a mutation that nobody has given one. */
export function rateLimitKind(type: RootType, field: string): RateLimitKind | null | undefined {
  if (type === 'Mutation') return MUTATIONS[field]
  if (type === 'Subscription') return 'reads'
  const kind = QUERIES[field]
  return kind === undefined ? 'reads' : kind
}

/** Counts each root field against its client before it is resolved or subscribed to, whatever door the operation came through. */
export function limitRootFields(schema: GraphQLSchema): GraphQLSchema {
  for (const type of ['Query', 'Mutation', 'Subscription'] as const) {
    for (const field of Object.values(fieldsOf(schema, type))) {
      const kind = rateLimitKind(type, field.name)
      if (kind === undefined) throw new Error(`${type}.${field.name} has no kind of rate limit`)
      if (kind === null) continue
      const step = type === 'Subscription' ? 'subscribe' : 'resolve'
      const resolve = field[step] ?? defaultFieldResolver
      field[step] = (source, args, context: GraphQLContext, info) => {
        const counted = context.count(kind)
        return counted === undefined
          ? resolve(source, args, context, info)
          : counted.then(() => resolve(source, args, context, info))
      }
    }
  }
  return schema
}

function fieldsOf(schema: GraphQLSchema, type: RootType) {
  const root = {
    Query: schema.getQueryType(),
    Mutation: schema.getMutationType(),
    Subscription: schema.getSubscriptionType(),
  }
  return root[type]?.getFields() ?? {}
}
