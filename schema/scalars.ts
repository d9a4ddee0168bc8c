import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { quoted } from '../src/domain/quoted.ts'
import { builder } from './builder.ts'

builder.addScalarType(
  'DateTime',
  new GraphQLScalarType<string>({
    name: 'DateTime',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
    description: 'A time in UTC: ISO 8601 with milliseconds, for example `2026-11-21T06:29:22.000Z`.',
    parseValue: (value) => {
      if (typeof value === 'string' && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString()
      throw new GraphQLError(`DateTime must be ISO 8601 text, got ${quoted(value)}`)
    },
  }),
)

// The services check the content, because they know the name of the parameter.
builder.addScalarType(
  'Pubkey',
  textScalar('Pubkey', {
    description: 'A public key or account address: 32 bytes in base-58.',
    specifiedByURL: 'https://datatracker.ietf.org/doc/html/draft-msporny-base58',
    expected: 'base-58 text',
  }),
)

interface TextScalar {
  readonly description: string
  readonly expected: string
  readonly specifiedByURL?: string
}

function textScalar(name: string, { description, expected, specifiedByURL }: TextScalar) {
  return new GraphQLScalarType<string>({
    name,
    description,
    specifiedByURL,
    parseValue: (value) => {
      if (typeof value === 'string') return value
      throw new GraphQLError(`${name} must be ${expected}, got ${quoted(value)}`)
    },
    // The default would accept an enum name as text.
    parseLiteral: (node: ValueNode) => {
      if (node.kind === Kind.STRING) return node.value
      throw new GraphQLError(`${name} must be ${expected} in quotes`)
    },
  })
}

builder.addScalarType(
  'VerifiableCredential',
  new GraphQLScalarType<unknown>({
    name: 'VerifiableCredential',
    specifiedByURL: 'https://www.w3.org/TR/vc-data-model-2.0/',
    description: 'A W3C Verifiable Credential as a JSON object. Pass it as a variable.',
    // The verifier checks what it is.
    parseValue: (value) => value,
    // GraphQL literals cannot contain names such as @context.
    parseLiteral: () => {
      throw new GraphQLError('VerifiableCredential must be given as a variable')
    },
  }),
)

builder.addScalarType(
  'SafeInt',
  new GraphQLScalarType<number>({
    name: 'SafeInt',
    specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc7493#section-2.2',
    description: 'An integer from 0 to 2^53 - 1, such as a slot or a block height, as a JSON number.',
    parseValue: (value) => {
      if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
      throw new GraphQLError(`SafeInt must be an integer from 0 to 2^53 - 1, got ${quoted(value)}`)
    },
  }),
)

builder.addScalarType(
  'U64',
  new GraphQLScalarType<string>({
    name: 'U64',
    description:
      'An unsigned 64-bit integer. Returned as decimal text, because JSON numbers are exact only up to 2^53. Accepts text or a number.',
    // The services check the range, because they know the name of the parameter.
    parseValue: (value) => {
      if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
      if (typeof value === 'string') return value
      throw new GraphQLError(`U64 must be an integer or decimal text, got ${quoted(value)}`)
    },
    parseLiteral: (node: ValueNode) => {
      if (node.kind === Kind.INT || node.kind === Kind.STRING) return node.value
      throw new GraphQLError('U64 must be an integer or decimal text')
    },
  }),
)
