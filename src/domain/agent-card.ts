export interface CardSkill {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
}

/** What an A2A agent card says, of version 0.3 or 1.0. What it does not say, or says in another shape, is null or empty. */
export interface CardContent {
  readonly name: string | null
  readonly description: string | null
  readonly version: string | null
  readonly url: string | null
  readonly protocolVersion: string | null
  readonly provider: string | null
  readonly documentationUrl: string | null
  readonly interfaces: readonly CardInterface[]
  readonly skills: readonly CardSkill[]
  /** URLs of credentials that the card lists. */
  readonly credentials: readonly string[]
}

/**
 * unsigned: no signature. verified: signed by the agent's owner. invalid: said to be by the owner, and is not.
 * foreign: signed by other keys alone, which are not looked up.
 */
export const CARD_SIGNATURES = ['unsigned', 'verified', 'invalid', 'foreign'] as const

export type CardSignature = (typeof CARD_SIGNATURES)[number]

/** raw: the bytes as served. jcs: their canonical form (RFC 8785), so that white space and the order of keys do not count. */
export const CARD_MATCHES = ['raw', 'jcs'] as const

export type CardMatch = (typeof CARD_MATCHES)[number]

/**
 * unchecked: nobody looked since the URL or the hash changed. unreachable: it could not be fetched; the verdict before still holds.
 */
export const CARD_STATES = ['unchecked', 'matched', 'mismatched', 'unreachable'] as const

export type CardState = (typeof CARD_STATES)[number]

export interface CardInterface {
  readonly url: string
  /** For instance JSONRPC, GRPC or HTTP+JSON. */
  readonly binding: string | null
  readonly protocolVersion: string | null
}
