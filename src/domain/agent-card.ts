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

/** `foreign`: only signatures with other keys than the owner's, which are not verified. */
export type CardSignature = 'unsigned' | 'verified' | 'invalid' | 'foreign'

/** raw: the bytes as served match. jcs: the canonical form (RFC 8785) matches. */
export type CardMatch = 'raw' | 'jcs'

/** unchecked: not since its URL or hash changed. unreachable: the previous result remains valid. */
export type CardState = 'unchecked' | 'matched' | 'mismatched' | 'unreachable'
