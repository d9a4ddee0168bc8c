import { type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'
import { PAGE_LIMIT, PAGE_OFFSET } from '../../src/domain/page.ts'
import type { ExactInteger } from '../execute.ts'

/** Parts of route schemas. They document and type the API; the services decide what is valid. */
export const Pubkey = (description: string) =>
  Type.String({
    description,
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    examples: ['DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'],
  })

export const Timestamp = (description?: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-21T06:29:22.000Z'] })

/** The schema of a request body, or of an object in one. Other members are refused. */
export const Body = <Properties extends TProperties>(properties: Properties, options: TObjectOptions = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** An on-chain u64: an exact integer of up to 20 digits. Some JSON parsers round it. */
export const U64 = (description: string, example: number) =>
  Type.Unsafe<ExactInteger>({
    type: 'integer',
    format: 'uint64',
    minimum: 0,
    description,
    examples: [example],
  })

export const Choice = <const Value extends string>(
  values: readonly Value[],
  options: { description?: string; default?: Value; examples?: Value[] } = {},
) => Type.Unsafe<Value>({ type: 'string', enum: [...values], ...options })

export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: PAGE_LIMIT.min,
      maximum: PAGE_LIMIT.max,
      default: PAGE_LIMIT.default,
      description: 'Maximum number of entries.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: PAGE_OFFSET.min,
      maximum: PAGE_OFFSET.max,
      default: PAGE_OFFSET.default,
      description: 'Number of entries to skip.',
    }),
  ),
}

/** The list envelope of the contract, with an array called `name`. */
export function envelope<const Name extends string, Item extends TSchema>(name: Name, item: Item) {
  const properties = {
    total: Type.Integer({ description: 'Exact number of matching entries.', examples: [1] }),
    limit: Type.Integer({
      description: 'Maximum number of entries on this page.',
      examples: [PAGE_LIMIT.default],
    }),
    offset: Type.Integer({ description: 'Number of skipped entries.', examples: [PAGE_OFFSET.default] }),
    ...({ [name]: Type.Array(item) } as { [Key in Name]: ReturnType<typeof Type.Array<Item>> }),
  }
  return Type.Object(properties, { description: `A page of ${name}.` })
}

const TAG_HEADER = {
  etag: {
    type: 'string',
    description: 'Identifies the bytes of the response. Absent if the response cache is off.',
  },
}

/** The request headers of cacheable reads. */
export const conditionalRequest = {
  headers: Type.Object({
    'if-none-match': Type.Optional(
      Type.String({
        description:
          'Entity tags of responses that the client has cached, or `*`. If one is still current, the response is 304.',
      }),
    ),
  }),
}

/** The responses of cacheable reads: 200 with this schema, or 304. */
export function cacheableResponses<Schema extends object>(schema: Schema) {
  return {
    200: { ...schema, headers: TAG_HEADER },
    304: Type.Null({
      description: 'The cached response of the client is still current.',
      headers: TAG_HEADER,
    }),
  }
}

/** For routes that require a wallet: three headers (contract, "Authentication"), or a session. */
export const walletSecurity: { readonly security: readonly Readonly<Record<string, string[]>>[] } = {
  security: [{ WalletPubkey: [], WalletSignature: [], WalletTimestamp: [] }, { session: [] }],
}

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'Explanation of the error.' }),
    message: Type.Optional(Type.String({ description: 'Additional information.' })),
    details: Type.Optional(
      Type.Object(
        { code: Type.String(), parameter: Type.Optional(Type.String()) },
        { description: 'The stable error code and the invalid parameter.' },
      ),
    ),
    logs: Type.Optional(
      Type.Array(Type.String(), { description: 'Log lines of a transaction whose simulation failed.' }),
    ),
  },
  { $id: 'Error', description: 'The body of every error.' },
)

const ERROR_MEANINGS = {
  400: [
    'A parameter or a member of the body is malformed, out of range, unknown or repeated.',
    'limit must be an integer from 1 to 200, got "0"',
  ],
  401: [
    'The wallet signature is missing or invalid.',
    'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp',
  ],
  403: [
    'The request is not allowed.',
    'Program 11111111111111111111111111111112 is not allowed by this relay',
  ],
  404: ['The resource does not exist.', 'Agent not found'],
  409: ['Conflicts with the current state.', 'Wallet already has an agent'],
  410: ['The transaction has expired.', 'Transaction expired'],
  413: ['The body is too large.', 'The body must not be larger than 262144 bytes'],
  415: ['The body is not JSON.', 'Content-Type must be application/json, got "text/xml"'],
  422: ['The request is well-formed but cannot be processed.', 'Transaction simulation failed'],
  429: [
    'Too many requests. See the Retry-After header.',
    'Too many requests: the limit is 60 per minute. Try again in 3 s',
  ],
  500: ['Internal server error.', 'Internal server error'],
  503: [
    'A required part of the service is unavailable. See the Retry-After header.',
    'The database is not available',
  ],
} as const

export type DocumentedStatus = keyof typeof ERROR_MEANINGS

type Examples = Partial<Record<DocumentedStatus, string>>

/**
 * Error responses of a route, with 429, 500 and 503. `examples` replaces the usual text of a
 * status.
 */
export function errors(statuses: Exclude<DocumentedStatus, 429 | 500 | 503>[], examples: Examples = {}) {
  return uncountedErrors([...statuses, 429], examples)
}

/** Error responses of a route whose requests are not counted. */
export function uncountedErrors(statuses: Exclude<DocumentedStatus, 500 | 503>[], examples: Examples = {}) {
  return Object.fromEntries(
    [...statuses, 500 as const, 503 as const].map((status) => {
      const [description, usual] = ERROR_MEANINGS[status]
      const content = { schema: { $ref: 'Error#' }, example: { error: examples[status] ?? usual } }
      return [status, { description, content: { 'application/json': content } }]
    }),
  )
}
