import { isPubkey, type Pubkey, signatureBytes } from '@agent-registry/solana'
import { verifyEd25519 } from '../../domain/ed25519.ts'
import { DomainError } from '../../domain/errors.ts'

/** The signed parts of a request, and its three headers as received. */
export interface SignedRequest {
  /** Upper-case HTTP method. */
  readonly method: string
  /** Path of the request line, without query and not decoded. */
  readonly path: string
  /** X-Wallet-Pubkey. */
  readonly pubkey: string | undefined
  /** X-Wallet-Signature. */
  readonly signature: string | undefined
  /** X-Wallet-Timestamp. */
  readonly timestamp: string | undefined
}

export interface VerifiedRequest {
  readonly wallet: Pubkey
  /** 64 bytes. */
  readonly signature: Uint8Array
}

/** Largest difference between a signature's timestamp and now, in either direction. */
export const TOLERANCE_MS = 60_000

/** Seconds in decimal, without leading zeros. */
const SECONDS = /^(0|[1-9]\d{0,14})$/

/**
 * Verifies a request at `now`, in milliseconds since the epoch. Throws, in this order:
 * AUTH_HEADERS_MISSING, INVALID_TIMESTAMP, SIGNATURE_EXPIRED, INVALID_WALLET,
 * INVALID_SIGNATURE_ENCODING, INVALID_WALLET_SIGNATURE. The last one has the expected message.
 */
export function verifyRequest(request: SignedRequest, now: number): VerifiedRequest {
  const { method, path, pubkey, signature: encoded, timestamp } = request
  if (!pubkey || !encoded || !timestamp) throw new DomainError('AUTH_HEADERS_MISSING')
  if (!SECONDS.test(timestamp)) throw new DomainError('INVALID_TIMESTAMP')
  if (Math.abs(now - Number(timestamp) * 1000) > TOLERANCE_MS) throw new DomainError('SIGNATURE_EXPIRED')
  if (!isPubkey(pubkey)) throw new DomainError('INVALID_WALLET')
  const signature = signatureBytes(encoded)
  if (signature === null) throw new DomainError('INVALID_SIGNATURE_ENCODING')
  const message = signedMessage({ pubkey, timestamp, method, path })
  if (!verifyEd25519(Buffer.from(message), signature, pubkey)) {
    const addition = { message: `The signature must be of this message: ${message}` }
    throw new DomainError('INVALID_WALLET_SIGNATURE', {}, { addition })
  }
  return { wallet: pubkey, signature }
}

/** The text whose UTF-8 bytes a wallet signs (contract, "Authentication"). */
export function signedMessage(request: {
  readonly pubkey: string
  readonly timestamp: string
  readonly method: string
  readonly path: string
}): string {
  const { pubkey, timestamp, method, path } = request
  return `service-auth:${pubkey}:${timestamp}:${method}:${path}`
}
