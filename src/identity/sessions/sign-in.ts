import { isPubkey, type Pubkey, signatureBytes } from '@agent-registry/solana'
import { verifyEd25519 } from '../../domain/ed25519.ts'
import { DomainError } from '../../domain/errors.ts'
import { quoted } from '../../domain/quoted.ts'
import { isLoopbackHost } from '../../platform/net/address-guard.ts'

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

interface SignInRules {
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

const INTRODUCTION = ' wants you to sign in with your Solana account:'
const STATEMENT_PLACE = 3
/** Could show the user of a wallet other lines than the ones that are read. */
const MISLEADING = /(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u

/** The lines after the statement, in this order. */
const LABELS = {
  uri: 'URI',
  version: 'Version',
  chainId: 'Chain ID',
  nonce: 'Nonce',
  issuedAt: 'Issued At',
  expirationTime: 'Expiration Time',
  notBefore: 'Not Before',
  requestId: 'Request ID',
} as const
const REQUIRED = ['uri', 'version', 'chainId', 'nonce', 'issuedAt'] as const

type Field = keyof typeof LABELS
type Required = (typeof REQUIRED)[number]

const FIELDS = Object.entries(LABELS) as [Field, string][]

/** The members of a sign-in message (EIP-4361 for Solana, CAIP-122) as text. */
type SignInMessage = { readonly domain: string; readonly address: string } & {
  readonly [Name in Required]: string
} & { readonly [Name in Exclude<Field, Required>]?: string }

/** Writes the text that `solana:signIn` of the Wallet Standard signs for these members. */
export function writeSignInMessage({ domain, address, ...fields }: SignInMessage, statement: string): string {
  const lines = FIELDS.flatMap(([name, label]) =>
    fields[name] === undefined ? [] : [`${label}: ${fields[name]}`],
  )
  return [`${domain}${INTRODUCTION}`, address, '', statement, '', ...lines].join('\n')
}

/** Reads a sign-in message, with or without a statement. Throws INVALID_SIGN_IN_MESSAGE. */
export function parseSignInMessage(text: string): SignInMessage {
  const misleading = MISLEADING.exec(text)
  if (misleading !== null)
    throw invalidMessage(`control and bidirectional characters are not allowed, got ${quoted(misleading[0])}`)
  const [first = '', address = '', ...rest] = text.trimEnd().split('\n')
  if (!first.endsWith(INTRODUCTION))
    throw invalidMessage(`the first line must end with "${INTRODUCTION.trim()}"`)
  const start = rest.findIndex((line) => line.startsWith('URI: '))
  if (start < 0) throw missingLine('uri')
  // A statement is one line between two empty ones.
  if (start > STATEMENT_PLACE || rest[0] !== '' || rest[start - 1] !== '')
    throw invalidMessage('an empty line, one line of text and an empty line must follow the address')
  const lines = rest.slice(start)
  const fields: { [Name in Field]?: string } = {}
  for (const [name, label] of FIELDS) {
    if (lines[0]?.startsWith(`${label}: `)) fields[name] = lines.shift()!.slice(label.length + 2)
  }
  const [unknown, ...resources] = lines
  if (
    unknown !== undefined &&
    (unknown !== 'Resources:' || !resources.every((each) => each.startsWith('- ')))
  )
    throw invalidMessage(`the line ${quoted(unknown)} is unknown, repeated or in the wrong place`)
  const missing = REQUIRED.find((name) => fields[name] === undefined)
  if (missing !== undefined) throw missingLine(missing)
  return {
    domain: first.slice(0, -INTRODUCTION.length),
    address,
    ...(fields as Pick<SignInMessage, Field>),
  }
}

function invalidMessage(problem: string): DomainError {
  return new DomainError('INVALID_SIGN_IN_MESSAGE', { problem })
}

/** The problem of one line, such as `Nonce must be …, got "x"`. */
function invalidLine(name: Field, problem: string, value: string): DomainError {
  return invalidMessage(`${LABELS[name]} ${problem}, got ${quoted(value)}`)
}

function missingLine(name: Field): DomainError {
  return invalidMessage(`the line "${LABELS[name]}: …" is missing`)
}

/** A wallet shows the domain of the page: a message for another page opens no session here. */
export interface SignInOrigins {
  /** As browsers send them. The first is the service's own. */
  readonly origins: readonly string[]
  /** Also allows pages of the same machine, on every port. For development. */
  readonly anyLoopback: boolean
}

/** The URL of an allowed origin, by default the service's own. Throws SIGN_IN_ORIGIN. */
export function originParameter(given: string | null | undefined, allowed: SignInOrigins): URL {
  const origin = given ?? allowed.origins[0] ?? ''
  const url = URL.parse(origin)
  if (url !== null && url.origin === origin && isAllowedOrigin(url, allowed)) return url
  throw new DomainError('SIGN_IN_ORIGIN', {
    parameter: 'origin',
    allowed: formatOrigins(allowed),
    value: quoted(origin),
  })
}

function isAllowedOrigin({ origin, protocol, hostname }: URL, allowed: SignInOrigins): boolean {
  // The URL `blob:https://a.example/x` has the origin of its page, but no host.
  if (protocol !== 'http:' && protocol !== 'https:') return false
  if (allowed.origins.includes(origin)) return true
  return allowed.anyLoopback && isLoopbackHost(hostname.replace(/^\[(.*)\]$/, '$1'))
}

/** The allowed origins, for error texts. */
function formatOrigins({ origins, anyLoopback }: SignInOrigins): string {
  return [...origins, ...(anyLoopback ? ['http://localhost:<port>'] : [])].join(', ')
}
