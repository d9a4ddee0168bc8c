import type { Pubkey } from '@agent-registry/solana'
import type { CardContent, CardMatch, CardSignature } from '../../domain/agent-card.ts'
import { didKeyId, ownerDid } from '../../domain/did.ts'
import { verifyEd25519 } from '../../domain/ed25519.ts'
import {
  fetchHosted,
  type HostedDependencies,
  type HostState,
} from '../../platform/net/hosted/fetch-hosted.ts'
import { isObject, jcs, type JsonObject, type JsonValue, sha256Hex } from '../json.ts'
import { type CardJson, parseCard, readCardContent } from './card-content.ts'

/** Real cards have up to some ten thousand bytes. */
export const MAX_CARD_BYTES = 262_144

export interface RecordedCard {
  readonly owner: Pubkey
  readonly url: string
  /** Hex SHA-256 recorded on the ledger. */
  readonly hash: string
}

export type CardOutcome =
  | {
      readonly state: 'matched' | 'mismatched'
      readonly reason: string | null
      readonly matchedBy: CardMatch | null
      readonly signature: CardSignature
      readonly content: CardContent | null
      readonly host: 'responded'
    }
  | { readonly state: 'unreachable'; readonly reason: string; readonly host: HostState }

/** Fetches an agent's card and compares it with the hash on the ledger. */
export async function checkCard(card: RecordedCard, dependencies: HostedDependencies): Promise<CardOutcome> {
  const hosted = await fetchHosted(card.url, MAX_CARD_BYTES, dependencies)
  if (hosted.kind === 'failed') {
    return { state: 'unreachable', reason: hosted.reason, host: hosted.host }
  }
  const json = parseCard(hosted.body)
  const matchedBy = matchHash(hashCard(hosted.body, json), card.hash)
  return {
    state: matchedBy === null ? 'mismatched' : 'matched',
    reason: matchedBy === null ? mismatchReason(json) : null,
    matchedBy,
    signature: json === null ? 'unsigned' : checkCardSignature(json, card.owner),
    content: json === null ? null : readCardContent(json.value),
    host: 'responded',
  }
}

/** SHA-256 of the forms of a card, hex. */
export interface CardHashes {
  readonly raw: string
  /** Null if there is no canonical form. */
  readonly jcs: string | null
}

export function hashCard(body: Uint8Array, json: CardJson | null): CardHashes {
  const canonical = json?.canonical ?? null
  return { raw: sha256Hex(body), jcs: canonical === null ? null : sha256Hex(canonical) }
}

/** Returns which form of a card has the recorded hash. Null if neither has. */
export function matchHash({ raw, jcs: canonical }: CardHashes, recordedHash: string): CardMatch | null {
  if (raw === recordedHash) return 'raw'
  return canonical === recordedHash ? 'jcs' : null
}

/** Why a card with another hash does not match. */
export function mismatchReason(json: CardJson | null): string {
  if (json === null) return 'The hosted document has another hash and is not JSON'
  if (json.problem !== null) {
    return `The hosted card has another hash and no canonical form: ${json.problem}`
  }
  return 'The hosted card has another hash, and so does its canonical form'
}

const MAX_SIGNATURES = 8
const MAX_HEADER_LENGTH = 4_096
const BASE64URL = /^[\w-]+$/
/** REQUIRED fields of a2a.proto 1.0. They are signed even if they are empty. */
const REQUIRED_LISTS = new Set([
  'tags',
  'skills',
  'supportedInterfaces',
  'defaultInputModes',
  'defaultOutputModes',
])
const REQUIRED_TEXTS = new Set([
  'id',
  'name',
  'description',
  'version',
  'url',
  'organization',
  'protocolBinding',
  'protocolVersion',
])

/** A2A section 8.4. Only EdDSA signatures by the owner's key (`did:sol:<owner>#key-1`) count. */
export function checkCardSignature({ value: card, canonical }: CardJson, owner: Pubkey): CardSignature {
  if (!isObject(card) || !Array.isArray(card.signatures) || card.signatures.length === 0) return 'unsigned'
  const ownerSignatures = card.signatures
    .slice(0, MAX_SIGNATURES)
    .filter(isObject)
    .filter(({ protected: header }) => parseHeader(header)?.kid === didKeyId(ownerDid(owner)))
  if (ownerSignatures.length === 0) return 'foreign'
  if (canonical === null) return 'invalid'
  const payloads = signedPayloads(card)
  return ownerSignatures.some((signature) => isValid(signature, payloads, owner)) ? 'verified' : 'invalid'
}

/** The specification omits default values from the payload. Some signers keep them. */
function signedPayloads(card: JsonObject): string[] {
  const { signatures: _, ...signed } = card
  return [signed, withoutDefaults(signed)].map((payload) => Buffer.from(jcs(payload)).toString('base64url'))
}

function isValid(
  { protected: header, signature }: JsonObject,
  payloads: readonly string[],
  owner: Pubkey,
): boolean {
  const { alg, crit, b64 } = parseHeader(header) ?? {}
  if (typeof header !== 'string' || alg !== 'EdDSA') return false
  if (crit !== undefined || b64 !== undefined) return false
  if (typeof signature !== 'string' || signature.length !== 86 || !BASE64URL.test(signature)) return false
  const bytes = Buffer.from(signature, 'base64url')
  return payloads.some((payload) => verifyEd25519(Buffer.from(`${header}.${payload}`), bytes, owner))
}

/** Removes values that Protocol Buffers omit, except REQUIRED fields. */
function withoutDefaults(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutDefaults)
  if (!isObject(value)) return value
  const written = Object.entries(value).filter(([key, each]) => {
    if (Array.isArray(each)) return each.length > 0 || REQUIRED_LISTS.has(key)
    if (each === '') return REQUIRED_TEXTS.has(key)
    return !(each === false && key === 'required')
  })
  return Object.fromEntries(written.map(([key, each]) => [key, withoutDefaults(each)]))
}

function parseHeader(header: unknown): JsonObject | null {
  if (typeof header !== 'string' || header.length > MAX_HEADER_LENGTH || !BASE64URL.test(header)) return null
  try {
    const value: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
    return isObject(value) ? value : null
  } catch {
    return null
  }
}
