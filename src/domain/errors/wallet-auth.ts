import type { ErrorEntry } from './entry.ts'

/** Wallet authentication, in the order of the checks. */
export const WALLET_AUTH_ERRORS = {
  AUTH_HEADERS_MISSING: {
    status: 401,
    message: 'Missing auth headers. Required: X-Wallet-Pubkey, X-Wallet-Signature, X-Wallet-Timestamp',
  },
  INVALID_TIMESTAMP: { status: 401, message: 'Invalid timestamp' },
  SIGNATURE_EXPIRED: {
    status: 401,
    message: 'Signature expired. Timestamp must be within 60 seconds.',
  },
  INVALID_WALLET: { status: 401, message: 'Invalid wallet pubkey' },
  INVALID_SIGNATURE_ENCODING: { status: 401, message: 'Invalid signature encoding' },
  INVALID_WALLET_SIGNATURE: { status: 401, message: 'Invalid signature' },
  SIGNATURE_USED: {
    status: 401,
    message: 'Signature already used. Sign a new message with a fresh timestamp.',
  },
} as const satisfies Record<string, ErrorEntry>
