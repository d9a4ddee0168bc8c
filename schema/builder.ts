import SchemaBuilder from '@pothos/core'
import type { GraphQLContext } from './context.ts'

/** Scalars that the schema adds to GraphQL's own; all are text inside the service. */
type Scalars = {
  JSON: { Input: unknown; Output: unknown }
  DateTime: { Input: string; Output: string }
  Pubkey: { Input: string; Output: string }
  U64: { Input: string; Output: string }
  WebhookEventType: { Input: string; Output: string }
}

export const builder = new SchemaBuilder<{
  Context: GraphQLContext
  Scalars: Scalars
  DefaultFieldNullability: false
}>({ defaultFieldNullability: false })

builder.queryType({
  description:
    'What can be read. What belongs to a wallet needs its signature of the request, by the headers X-Wallet-*.',
})
builder.mutationType({ description: 'What changes something.' })
builder.subscriptionType({
  description:
    'What is told as it happens: over server-sent events (`Accept: text/event-stream`, distinct connections mode) or a WebSocket (`graphql-transport-ws`), both at /graphql.',
})
