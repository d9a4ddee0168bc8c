import { type TSchema, Type } from 'typebox'
import { PAGE_LIMIT, PAGE_OFFSET } from '../../src/domain/page.ts'
import type { ExactInteger } from '../execute.ts'

/** Pieces that route schemas are made of. They document and type; what is allowed is decided by the services. */
export const Pubkey = (description: string) =>
  Type.String({
    description,
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    examples: ['DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'],
  })

export const Timestamp = (description?: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-21T06:29:22.000Z'] })

/** An on-chain u64: printed as an exact integer of up to 20 digits, which not every JSON reader keeps. */
export const U64 = (description: string, example: number) =>
  Type.Unsafe<ExactInteger>({ type: 'integer', minimum: 0, description, examples: [example] })

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
      description: 'Entries on a page.',
    }),
  ),
  offset: Type.Optional(
    Type.Integer({
      minimum: PAGE_OFFSET.min,
      maximum: PAGE_OFFSET.max,
      default: PAGE_OFFSET.default,
      description: 'Entries to skip.',
    }),
  ),
}

/** The contract's list envelope around an array called `name`. */
export function envelope<const Name extends string, Item extends TSchema>(name: Name, item: Item) {
  return Type.Object({
    total: Type.Integer({ description: 'How many match in all, exactly.', examples: [1] }),
    limit: Type.Integer({ examples: [PAGE_LIMIT.default] }),
    offset: Type.Integer({ examples: [PAGE_OFFSET.default] }),
    ...({ [name]: Type.Array(item) } as { [Key in Name]: ReturnType<typeof Type.Array<Item>> }),
  })
}

const TAG_HEADER = {
  etag: { type: 'string', description: 'Names these bytes; sent unless the service keeps no answers.' },
}

/** The request headers of reads whose answers are kept. */
export const conditional = {
  headers: Type.Object({
    'if-none-match': Type.Optional(
      Type.String({
        description:
          'Entity tags of answers that the client has, or `*`: answered 304 where one still holds.',
      }),
    ),
  }),
}

/** Their answers: 200 with this schema, or 304. */
export function kept<Schema extends object>(schema: Schema) {
  return {
    200: { ...schema, headers: TAG_HEADER },
    304: Type.Null({ description: 'The client has the answer.', headers: TAG_HEADER }),
  }
}

/** For routes that only a wallet may call: the three headers of its signature (contract, "Authentication"). */
export const signed = { security: [{ WalletPubkey: [], WalletSignature: [], WalletTimestamp: [] }] }

export const ErrorBody = Type.Object(
  {
    error: Type.String({ description: 'What went wrong, for people.' }),
    message: Type.Optional(Type.String({ description: 'More about it.' })),
    details: Type.Optional(
      Type.Object(
        { code: Type.String(), parameter: Type.Optional(Type.String()) },
        { description: 'The error’s stable code and the parameter at fault.' },
      ),
    ),
    logs: Type.Optional(
      Type.Array(Type.String(), { description: 'Log lines of a transaction that failed its simulation.' }),
    ),
  },
  { $id: 'Error', description: 'The body of every error.' },
)

const ERROR_MEANINGS = {
  400: [
    'A parameter is malformed, out of range, unknown or repeated.',
    'limit must be an integer from 1 to 200, got "0"',
  ],
  401: [
    'The wallet’s signature is missing or not valid.',
    'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp',
  ],
  403: ['Not allowed.', 'Program 11111111111111111111111111111112 is not allowed by this relay'],
  404: ['Nothing is there.', 'Agent not found'],
  409: ['It is so already.', 'Wallet already has an agent'],
  410: ['It is too late.', 'Transaction expired'],
  413: ['The body is too large.', 'The body must not be larger than 262144 bytes'],
  415: ['The body is not JSON.', 'Content-Type must be application/json, got "text/xml"'],
  422: ['The ledger would refuse it.', 'Transaction simulation failed'],
  429: ['Too often; see Retry-After.', 'Too many requests: the limit is 60 per minute. Try again in 3 s'],
  500: ['A defect of the service; nothing of it is told.', 'Internal server error'],
  503: ['A part that is needed does not answer; see Retry-After.', 'The database is not available'],
} as const

export type DocumentedStatus = keyof typeof ERROR_MEANINGS

/** Error responses of a route; 500 and 503 always belong to them. `examples` replaces the usual text of a status. */
export function errors(
  statuses: Exclude<DocumentedStatus, 500 | 503>[],
  examples: Partial<Record<DocumentedStatus, string>> = {},
) {
  return Object.fromEntries(
    [...statuses, 500 as const, 503 as const].map((status) => {
      const [description, usual] = ERROR_MEANINGS[status]
      const content = { schema: { $ref: 'Error#' }, example: { error: examples[status] ?? usual } }
      return [status, { description, content: { 'application/json': content } }]
    }),
  )
}
