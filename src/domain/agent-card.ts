export interface CardSkill {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly tags: readonly string[]
}

export interface CardInterface {
  readonly url: string
  /** For instance JSONRPC, GRPC or HTTP+JSON. */
  readonly binding: string | null
  readonly protocolVersion: string | null
}

/** The content of an agent card (A2A 0.3 or 1.0). Missing and invalid members are null or empty. */
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
  /** URLs of credentials. */
  readonly credentials: readonly string[]
}

/**
 * unsigned: no signature. verified: signed by the agent's owner. invalid: the owner's signature is
 * wrong. foreign: only signatures with other keys, which are not verified.
 */
export const CARD_SIGNATURES = ['unsigned', 'verified', 'invalid', 'foreign'] as const

export type CardSignature = (typeof CARD_SIGNATURES)[number]

/** raw: the bytes as served match. jcs: the canonical form (RFC 8785) matches. */
export const CARD_MATCHES = ['raw', 'jcs'] as const

export type CardMatch = (typeof CARD_MATCHES)[number]

/** unchecked: not since its URL or hash changed. unreachable: the previous result remains valid. */
export const CARD_STATES = ['unchecked', 'matched', 'mismatched', 'unreachable'] as const

export type CardState = (typeof CARD_STATES)[number]
