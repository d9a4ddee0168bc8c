import { GraphQLError, GraphQLScalarType, type GraphQLScalarTypeConfig, Kind } from 'graphql'
import { quoted } from '../src/domain/quoted.ts'
import { builder, type Scalars } from './builder.ts'

const scalar = <Value>(name: keyof Scalars, config: Omit<GraphQLScalarTypeConfig<Value, Value>, 'name'>) =>
  builder.addScalarType(name, new GraphQLScalarType<Value>({ name, ...config }))

scalar<string>('DateTime', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  description: 'A time in UTC: ISO 8601 with milliseconds, for example `2026-11-21T06:29:22.000Z`.',
  parseValue: (value) => {
    if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString()
    throw new GraphQLError(`DateTime must be ISO 8601 text, got ${quoted(value)}`)
  },
})

scalar<string>('Pubkey', {
  specifiedByURL: 'https://datatracker.ietf.org/doc/html/draft-msporny-base58',
  description: 'A public key or account address: 32 bytes in base-58.',
  // The services check the content, because they know the name of the parameter.
  parseValue: (value) => {
    if (typeof value === 'string') return value
    throw new GraphQLError(`Pubkey must be base-58 text, got ${quoted(value)}`)
  },
  // The default would accept an enum name as text.
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING) return node.value
    throw new GraphQLError('Pubkey must be base-58 text in quotes')
  },
})

scalar<unknown>('VerifiableCredential', {
  specifiedByURL: 'https://www.w3.org/TR/vc-data-model-2.0/',
  description: 'A W3C Verifiable Credential as a JSON object. Pass it as a variable.',
  // The verifier checks what it is.
  parseValue: (value) => value,
  // GraphQL literals cannot contain names such as @context.
  parseLiteral: () => {
    throw new GraphQLError('VerifiableCredential must be given as a variable')
  },
})

scalar<number>('SafeInt', {
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc7493#section-2.2',
  description: 'An integer from 0 to 2^53 - 1, such as a slot or a block height, as a JSON number.',
  parseValue: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
    throw new GraphQLError(`SafeInt must be an integer from 0 to 2^53 - 1, got ${quoted(value)}`)
  },
})

scalar<string>('U64', {
  description:
    'An unsigned 64-bit integer. Returned as decimal text, because JSON numbers are exact only up to 2^53. Accepts text or a number.',
  // The services check the range, because they know the name of the parameter.
  parseValue: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
    if (typeof value === 'string') return value
    throw new GraphQLError(`U64 must be an integer or decimal text, got ${quoted(value)}`)
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.INT || node.kind === Kind.STRING) return node.value
    throw new GraphQLError('U64 must be an integer or decimal text')
  },
})
