import type { ErrorEntry } from './entry.ts'

/** Sign-in and sessions, in the order of the checks. */
export const SESSION_ERRORS = {
  SIGN_IN_ORIGIN: {
    status: 400,
    message: '{parameter} must be one of {allowed}, got {value}',
  },
  INVALID_SIGN_IN_MESSAGE: { status: 400, message: 'Invalid sign-in message: {problem}' },
  INVALID_SIGN_IN_ENCODING: {
    status: 400,
    message: 'signature must be 64 bytes in base-58 or base64, got {value}',
  },
  SIGN_IN_EXPIRED: {
    status: 401,
    message: 'The sign-in message has expired or is not valid yet. Request a new challenge.',
  },
  INVALID_SIGN_IN_SIGNATURE: {
    status: 401,
    message: 'Invalid signature: the wallet that the message names must sign exactly this message',
  },
  SIGN_IN_NONCE: {
    status: 401,
    message: 'The nonce is unknown, expired or already used. Request a new challenge.',
  },
  SESSION_MISSING: { status: 401, message: 'Missing session. Required: Authorization: Bearer <token>' },
  SESSION_INVALID: { status: 401, message: 'The session is unknown, expired or ended. Sign in again.' },
} as const satisfies Record<string, ErrorEntry>
