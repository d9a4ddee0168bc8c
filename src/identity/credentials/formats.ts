import { decodeBase58, encodeBase58, type Pubkey, pubkeyBytes, pubkeyFromBytes } from '@agent-registry/solana'

export const VERIFIABLE_CREDENTIAL = 'VerifiableCredential'

/** The kinds of credentials that the registry knows. */
export const KNOWN_KINDS: readonly string[] = [
  'SecurityAuditCredential',
  'IdentityCredential',
  'CapabilityCredential',
  'ComplianceCredential',
]

/** Finds a known kind by its type, with or without `Credential`, in any case. */
export function knownKind(name: string): string | null {
  const type = name.toLowerCase().replace(/(credential)?$/, 'credential')
  return KNOWN_KINDS.find((kind) => kind.toLowerCase() === type) ?? null
}

export function isKnownKind(type: string): boolean {
  return KNOWN_KINDS.includes(type)
}

const SIGNATURE_BYTES = 64
const MAX_KEY_LENGTH = 64
/** Multicodec ed25519-pub, as a varint. */
const ED25519_PREFIX = [0xed, 0x01]

/** Decodes `z` and base-58 of 64 bytes. Callers limit the length: decoding takes quadratic time. */
export function decodeSignature(proofValue: string): Uint8Array | null {
  const bytes = proofValue.startsWith('z') ? decodeBase58(proofValue.slice(1)) : null
  return bytes?.length === SIGNATURE_BYTES ? bytes : null
}

/** Decodes the Ed25519 key of a Multikey text, `z6Mk…`. */
export function keyFromMultibase(text: string): Pubkey | null {
  if (!text.startsWith('z') || text.length > MAX_KEY_LENGTH) return null
  const bytes = decodeBase58(text.slice(1))
  const isKey = bytes?.length === 34 && bytes[0] === ED25519_PREFIX[0] && bytes[1] === ED25519_PREFIX[1]
  return isKey ? pubkeyFromBytes(bytes.subarray(2)) : null
}

export function keyToMultibase(key: Pubkey): string {
  return `z${encodeBase58(Uint8Array.from([...ED25519_PREFIX, ...pubkeyBytes(key)]))}`
}

/** Years 0001 to 9999 in UTC. ISO 8601 texts with four digits and timestamptz both support them. */
const MIN_MS = -62_135_596_800_000
const MAX_MS = 253_402_300_799_999

/** Groups: the day. Offsets are at most 14 hours. */
const DATE_TIME_STAMP =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3])(?::[0-5]\d){2}(?:\.\d{1,9})?(?:Z|[+-](?:(?:0\d|1[0-3]):[0-5]\d|14:00))$/

/**
 * Parses an XML Schema dateTimeStamp (https://www.w3.org/TR/xmlschema11-2/#dateTimeStamp) to
 * milliseconds. Null without a time zone, for an invalid day, hour 24, or a year outside 1 to 9999.
 */
export function parseDateTimeStamp(value: unknown): number | null {
  const [text, day] = (typeof value === 'string' && DATE_TIME_STAMP.exec(value)) || []
  if (text === undefined || day === undefined) return null
  const midnight = Date.parse(day)
  // JavaScript reads 31 February as 3 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return null
  const time = Date.parse(text)
  return time >= MIN_MS && time <= MAX_MS ? time : null
}
