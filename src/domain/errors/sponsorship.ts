import type { ErrorEntry } from './entry.ts'

/** What the service pays for, and what not. */
export const SPONSORSHIP_ERRORS = {
  SPONSORSHIP_OFF: { status: 503, message: 'Sponsorship is off' },
  SPONSOR_BALANCE_LOW: {
    status: 503,
    message: 'Sponsorship is paused: the balance of the fee payer is too low',
  },
  SPONSOR_BUDGET_USED: { status: 503, message: 'Sponsorship is paused: the budget of the day is used up' },
  INVITE_CODE_INVALID: { status: 403, message: 'The invite code is unknown, expired, revoked or used up' },
  WALLET_SPONSORED: { status: 409, message: 'Wallet {wallet} has already received a sponsored registration' },
  REGISTRATION_OPEN: {
    status: 409,
    message:
      'A sponsored registration of wallet {wallet} is under way: submit it, or try again when it has expired',
  },
  AGENT_EXISTS: { status: 409, message: 'Wallet {wallet} already has an agent' },
  SPONSOR_CLIENT_LIMIT: {
    status: 429,
    message: 'At most {max} sponsored registrations a day from one address. Try again in {seconds} s',
  },
  SPONSOR_WALLET_LIMIT: {
    status: 429,
    message: 'At most {max} sponsored transactions a day for one wallet. Try again in {seconds} s',
  },
  REGISTRATION_NEEDS_CODE: {
    status: 403,
    message: 'Registrations are sponsored for an invite code only: use POST /sponsor/register',
  },
  NOT_SPONSORED: { status: 403, message: '{place} is not sponsored: {problem}' },
  FEE_PAYER_MISUSED: { status: 403, message: 'The fee payer {key} must not appear in {place}' },
  FEE_PAYER_EXPECTED: {
    status: 400,
    message: '{place} must be the fee payer {key}, as the signer who pays',
  },
  SPONSOR_COST_EXCEEDED: {
    status: 403,
    message: 'The transaction takes more than is sponsored: {amount} {unit}, at most {max}',
  },
  ONE_WALLET_SIGNS: {
    status: 400,
    message:
      'signerPubkeys must name one wallet, the fee payer aside: sponsored transactions have one signer',
  },
  FEE_PAYER_SIGNED: {
    status: 400,
    message: 'The service signs as the fee payer {key}: leave the 64 bytes of its signature zero',
  },
  REGISTRATION_MISMATCH: {
    status: 403,
    message: 'signerPubkey and inviteCode must be those of the registration',
  },
  NOT_A_REGISTRATION: {
    status: 400,
    message: 'The transaction is not a sponsored registration: submit it to POST /relay/submit',
  },
  SPONSORED_REGISTRATION: {
    status: 400,
    message: 'The transaction is a sponsored registration: submit it to POST /sponsor/register/submit',
  },
} as const satisfies Record<string, ErrorEntry>
