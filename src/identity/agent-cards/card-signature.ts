import canonicalize from 'canonicalize'
import type { Pubkey } from '@agent-registry/solana'
import { verifyEd25519 } from '../../domain/ed25519.ts'
import { ownerDid, didKeyId } from '../../domain/did.ts'
import type { CardJson } from './read-json.ts'
import type { CardSignature } from '../../domain/agent-card.ts'

type Members = Record<string, unknown>

const MAX_SIGNATURES = 8
const BASE64URL = /^[\w-]+$/
/** Fields of a2a.proto 1.0 that are REQUIRED, and so part of what is signed even when empty. */
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

/** Checks the signatures of a card (A2A section 8.4, JWS by RFC 7515) with the owner's key alone: EdDSA, `kid` is `did:sol:<owner>#key-1`. */
export function checkCardSignature({ value: card, canonical }: CardJson, owner: Pubkey): CardSignature {
  if (!isMembers(card) || !Array.isArray(card.signatures) || card.signatures.length === 0) return 'unsigned'
  const own = card.signatures
    .slice(0, MAX_SIGNATURES)
    .filter(isMembers)
    .filter(({ protected: header }) => headerOf(header)?.kid === didKeyId(ownerDid(owner)))
  if (own.length === 0) return 'foreign'
  if (canonical === null) return 'invalid'
  const payloads = payloadsOf(card)
  return own.some((signature) => isValid(signature, payloads, owner)) ? 'verified' : 'invalid'
}

/** What may have been signed: signers that go by the text of the specification leave default values out, others sign what is served. */
function payloadsOf(card: Members): string[] {
  const { signatures: _, ...signed } = card
  return [signed, withoutDefaults(signed)].map((payload) =>
    Buffer.from(canonicalize(payload) ?? '').toString('base64url'),
  )
}

function isValid(
  { protected: header, signature }: Members,
  payloads: readonly string[],
  owner: Pubkey,
): boolean {
  const { alg, crit, b64 } = headerOf(header) ?? {}
  if (alg !== 'EdDSA' || crit !== undefined || b64 !== undefined) return false
  if (typeof signature !== 'string' || signature.length !== 86 || !BASE64URL.test(signature)) return false
  const bytes = Buffer.from(signature, 'base64url')
  return payloads.some((payload) => verifyEd25519(Buffer.from(`${String(header)}.${payload}`), bytes, owner))
}

/** Without the values that Protocol Buffers do not write: empty lists and texts, false; REQUIRED and optional fields stay. */
function withoutDefaults(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDefaults)
  if (!isMembers(value)) return value
  const kept = Object.entries(value).filter(([key, each]) => {
    if (Array.isArray(each)) return each.length > 0 || REQUIRED_LISTS.has(key)
    if (each === '') return REQUIRED_TEXTS.has(key)
    return !(each === false && key === 'required')
  })
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutDefaults(each)]))
}

function headerOf(header: unknown): Members | null {
  if (typeof header !== 'string' || header.length > 4_096 || !BASE64URL.test(header)) return null
  try {
    const value: unknown = JSON.parse(Buffer.from(header, 'base64url').toString())
    return isMembers(value) ? value : null
  } catch {
    return null
  }
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
