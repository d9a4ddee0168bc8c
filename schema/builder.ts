import SchemaBuilder, { type SchemaTypes } from '@pothos/core'
import type { GraphQLContext } from './context.ts'

/** Scalars that the schema adds to GraphQL's own; all are text inside the service. */
export type Scalars = {
  VerifiableCredential: { Input: unknown; Output: unknown }
  DateTime: { Input: string; Output: string }
  Pubkey: { Input: string; Output: string }
  U64: { Input: string; Output: string }
  SafeInt: { Input: number; Output: number }
}

export const builder = new SchemaBuilder<{
  Context: GraphQLContext
  Scalars: Scalars
  DefaultFieldNullability: false
}>({ defaultFieldNullability: false })

/** For functions that define fields of several types. */
export type Types =
  typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T extends SchemaTypes> ? T : never

builder.queryType({
  description:
    'Operations that read data. Fields that belong to a wallet require a signed request with the X-Wallet-* headers, or a session.',
})
builder.mutationType({ description: 'Operations that change data or send transactions.' })
builder.subscriptionType({
  description:
    'Live updates at /graphql, over server-sent events (`Accept: text/event-stream`, distinct connections mode) or a WebSocket (`graphql-transport-ws`).',
})
