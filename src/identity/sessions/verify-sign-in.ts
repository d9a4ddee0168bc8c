import { isPubkey, type Pubkey, signatureBytes } from '@agent-registry/solana'
import { verifyEd25519 } from '../../domain/ed25519.ts'
import { DomainError } from '../../domain/errors.ts'
import { quoted } from '../../domain/quoted.ts'
import { invalidLine, invalidMessage, parseSignInMessage, type SignInMessage } from './sign-in-message.ts'
import { formatOrigins, isAllowedOrigin, type SignInOrigins } from './sign-in-origins.ts'

/** Bytes of a message. */
export const MAX_MESSAGE_BYTES = 2_048
/** How far the clocks of clients may be ahead. */
export const CLOCK_SKEW_MS = 60_000

const BASE64_OF_64_BYTES = /^[A-Za-z0-9+/]{86}==$/
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/
const NONCE = /^[1-9A-HJ-NP-Za-km-z]{16,24}$/

export interface SignIn {
  /** The text that the wallet signed, UTF-8. */
  readonly message: string
  /** 64 bytes in base-58 or base64. */
  readonly signature: string
}

export interface SignInRules {
  readonly origins: SignInOrigins
  /** The allowed values of `Chain ID`. */
  readonly chainIds: readonly string[]
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Verifies a signed message. It counts alone: wallets may choose another account and change the
 * text of the challenge. Whether the nonce is unused is the last check, by the caller. Throws
 * INVALID_SIGN_IN_MESSAGE, INVALID_SIGN_IN_ENCODING, SIGN_IN_EXPIRED, INVALID_SIGN_IN_SIGNATURE.
 */
export function verifySignIn(
  { message, signature }: SignIn,
  rules: SignInRules,
): { wallet: Pubkey; nonce: string } {
  const bytes = Buffer.from(message)
  if (bytes.length > MAX_MESSAGE_BYTES) throw invalidMessage(`it has more than ${MAX_MESSAGE_BYTES} bytes`)
  const parsed = parseSignInMessage(message)
  checkFields(parsed, rules)
  const { address: wallet, nonce } = parsed
  if (!isPubkey(wallet))
    throw invalidMessage(`the second line must be the address of the wallet, got ${quoted(wallet)}`)
  const decoded = decodeSignature(signature)
  checkTimes(parsed, rules.now)
  if (!verifyEd25519(bytes, decoded, wallet)) throw new DomainError('INVALID_SIGN_IN_SIGNATURE')
  return { wallet, nonce }
}

function checkFields(message: SignInMessage, { origins, chainIds }: SignInRules): void {
  const { domain, uri, version, chainId, nonce } = message
  const url = URL.parse(uri)
  // The text must begin with the origin: a parser also accepts `https:host` and user names.
  if (url === null || !isAllowedOrigin(url, origins) || !`${uri}/`.startsWith(`${url.origin}/`))
    throw invalidLine('uri', `must be a page of ${formatOrigins(origins)}`, uri)
  if (domain !== url.host)
    throw invalidMessage(`the domain must be "${url.host}" as in URI, got ${quoted(domain)}`)
  if (version !== '1') throw invalidLine('version', 'must be 1', version)
  if (!chainIds.includes(chainId)) throw invalidLine('chainId', `must be ${chainIds[0]}`, chainId)
  if (!NONCE.test(nonce)) throw invalidLine('nonce', 'must be that of the challenge', nonce)
}

function checkTimes({ issuedAt, expirationTime, notBefore }: SignInMessage, now: number): void {
  const isTooEarly =
    timeOf('issuedAt', issuedAt) > now + CLOCK_SKEW_MS ||
    (notBefore !== undefined && timeOf('notBefore', notBefore) > now + CLOCK_SKEW_MS)
  const isExpired = expirationTime !== undefined && timeOf('expirationTime', expirationTime) <= now
  if (isTooEarly || isExpired) throw new DomainError('SIGN_IN_EXPIRED')
}

function timeOf(name: 'issuedAt' | 'expirationTime' | 'notBefore', value: string): number {
  const time = RFC_3339.test(value) ? Date.parse(value) : NaN
  if (Number.isNaN(time)) throw invalidLine(name, 'must be an RFC 3339 time', value)
  return time
}

function decodeSignature(encoded: string): Uint8Array {
  if (BASE64_OF_64_BYTES.test(encoded)) return Buffer.from(encoded, 'base64')
  const bytes = signatureBytes(encoded)
  if (bytes === null) throw new DomainError('INVALID_SIGN_IN_ENCODING', { value: quoted(encoded) })
  return bytes
}
