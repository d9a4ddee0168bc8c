import { GraphQLError, Kind, type ValueNode } from 'graphql'
import { quoted } from '../src/domain/quoted.ts'
import { builder } from './builder.ts'

const MAX_U64 = 18_446_744_073_709_551_615n

builder.scalarType('DateTime', {
  description: 'A time in UTC as ISO 8601 with milliseconds, for instance `2026-11-21T06:29:22.000Z`.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString()
    throw new GraphQLError(`DateTime must be ISO 8601 text, got ${quoted(value)}`)
  },
})

// What a key must be is checked by the services, which know the parameter's name.
builder.scalarType('Pubkey', {
  description: 'A public key or account address: base-58 text of 32 bytes.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === 'string') return value
    throw new GraphQLError(`Pubkey must be base-58 text, got ${quoted(value)}`)
  },
  // Without it an enum name would pass as text.
  parseLiteral: (node: ValueNode) => {
    if (node.kind === Kind.STRING) return node.value
    throw new GraphQLError('Pubkey must be base-58 text in quotes')
  },
})

// Its values have dots, which names of GraphQL enums cannot have. Which ones there are is checked by the services.
builder.scalarType('WebhookEventType', {
  description: 'One of `webhookEventTypes`, such as `agent.registered`.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === 'string') return value
    throw new GraphQLError(`WebhookEventType must be text, got ${quoted(value)}`)
  },
  parseLiteral: (node: ValueNode) => {
    if (node.kind === Kind.STRING) return node.value
    throw new GraphQLError('WebhookEventType must be text in quotes')
  },
})

builder.scalarType('JSON', {
  description: 'Any JSON value, given as a variable.',
  serialize: (value) => value,
  parseValue: (value) => value,
  // Names with signs like @context cannot be written in GraphQL's own notation.
  parseLiteral: () => {
    throw new GraphQLError('JSON must be given as a variable')
  },
})

builder.scalarType('U64', {
  description:
    'An unsigned 64-bit integer. Answered as decimal text, since JSON numbers end at 2^53; taken as text or as a number.',
  serialize: (value) => value,
  parseValue: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return String(value)
    if (typeof value === 'string') return u64(value)
    throw new GraphQLError(`U64 must be an integer from 0 to ${MAX_U64}, got ${quoted(value)}`)
  },
  parseLiteral: (node: ValueNode) => {
    if (node.kind === Kind.INT || node.kind === Kind.STRING) return u64(node.value)
    throw new GraphQLError(`U64 must be an integer from 0 to ${MAX_U64}`)
  },
})

function u64(text: string): string {
  if (/^\d{1,20}$/.test(text) && BigInt(text) <= MAX_U64) return String(BigInt(text))
  throw new GraphQLError(`U64 must be an integer from 0 to ${MAX_U64}, got ${quoted(text)}`)
}
