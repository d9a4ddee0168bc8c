import { type Static, type TObjectOptions, type TProperties, type TSchema, Type } from 'typebox'
import { PAGE_LIMIT, PAGE_OFFSET, OFFSET_COST } from '../../src/domain/page.ts'
import type { ExactInteger } from '../execute.ts'
import { TABLES_AGE_HEADERS } from '../plugins/tables-age.ts'
import { named } from './named.ts'

export { errors, uncountedErrors } from './error-responses.ts'
export { named } from './named.ts'

/** Parts of route schemas. They document and type the API; the services decide what is valid. */
export const Pubkey = (description: string) =>
  Type.String({
    description,
    pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$',
    examples: ['DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs'],
  })

export const Timestamp = (description?: string) =>
  Type.String({ format: 'date-time', description, examples: ['2026-11-21T06:29:22.000Z'] })

/** A text or null. */
export const orNull = (description: string, example: string, format?: string) =>
  Type.Unsafe<string | null>({
    type: ['string', 'null'],
    ...(format === undefined ? {} : { format }),
    description,
    examples: [example],
  })

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
      description: `Number of entries to skip. ${OFFSET_COST}`,
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
  const title = `${name[0]?.toUpperCase()}${name.slice(1)}Page`
  return named(title, Type.Object(properties, { description: `A page of ${name}.` }))
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
export function cacheableResponses<Schema extends object>(schema: Schema, more: object = TABLES_AGE_HEADERS) {
  const headers = { ...TAG_HEADER, ...more }
  return {
    200: { ...schema, headers },
    304: Type.Null({ description: 'The cached response of the client is still current.', headers }),
  }
}

const walletHeader = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example] }))

type Security = readonly Readonly<Record<string, string[]>>[]

const WALLET_OR_SESSION: Security = [
  { WalletPubkey: [], WalletSignature: [], WalletTimestamp: [] },
  { session: [] },
]

/** For routes that require a wallet: three headers (contract, "Authentication"), or a session. */
export const walletSecurity = {
  security: WALLET_OR_SESSION,
  headers: Type.Object({
    'x-wallet-pubkey': walletHeader(
      'Public key of the wallet: 32 bytes in base-58.',
      'DH3fTF1DDS5DZgpwexzfyH8Xs7raj32qaYMgzwcTpuZs',
    ),
    'x-wallet-signature': walletHeader(
      'Ed25519 signature of `service-auth:<pubkey>:<timestamp>:<METHOD>:<path>`, in base-58.',
      '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW',
    ),
    'x-wallet-timestamp': walletHeader('Unix time in seconds, as in the signed text.', '1795184526'),
  }),
}

/** For routes about the session of the request. Wallet headers have none. */
export const sessionSecurity: { readonly security: Security } = { security: [{ session: [] }] }

/** One of several objects. */
export const OneOf = <Variants extends TSchema[]>(
  variants: [...Variants],
  options: { description: string },
) => Type.Unsafe<Static<Variants[number]>>({ ...options, oneOf: variants })
