import type { ErrorEntry } from './entry.ts'

/** Errors of transactions that the service pays for. */
export const SPONSORSHIP_ERRORS = {
  SPONSORSHIP_OFF: { status: 503, message: 'Sponsorship is off' },
  SPONSOR_BALANCE_LOW: {
    status: 503,
    message: 'Sponsorship is paused: the balance of the fee payer is too low',
  },
  SPONSOR_BUDGET_USED: { status: 503, message: 'Sponsorship is paused: the daily budget is used up' },
  SPONSOR_BALANCE_LOW_BEFORE_SIGNING: {
    status: 503,
    message:
      'The balance of the fee payer became too low before this transaction was signed. Nothing was sent. Prepare it again later.',
  },
  SPONSOR_BUDGET_USED_BEFORE_SIGNING: {
    status: 503,
    message:
      'The daily budget was used up before this transaction was signed. Nothing was sent. Prepare it again later.',
  },
  INVITE_CODE_INVALID: { status: 403, message: 'The invite code is unknown, expired, revoked or used up' },
  INVITE_CODE_USED_UP: {
    status: 403,
    message: 'The invite code was used up before this registration was signed. Nothing was sent.',
  },
  WALLET_SPONSORED: { status: 409, message: 'Wallet {wallet} has already received a sponsored registration' },
  REGISTRATION_OPEN: {
    status: 409,
    message:
      'Wallet {wallet} already has a pending sponsored registration. Read its status, or try again after it expires.',
  },
  AGENT_EXISTS: { status: 409, message: 'Wallet {wallet} already has an agent' },
  SPONSOR_CLIENT_LIMIT: {
    status: 429,
    message:
      'At most {max} sponsored registrations per IP address and day: {counted}. Try again in {seconds} s.',
  },
  SPONSOR_WALLET_LIMIT: {
    status: 429,
    message: 'At most {max} sponsored transactions per wallet and day. Try again in {seconds} s.',
  },
  SPONSOR_CLIENT_TRANSACTION_LIMIT: {
    status: 429,
    message: 'At most {max} sponsored transactions per IP address and day. Try again in {seconds} s.',
  },
  AGENT_NOT_SPONSORED: {
    status: 403,
    message:
      'Wallet {wallet} gets no sponsored transactions: the service must have sponsored the registration of its agent, or the agent must have the tier basic or higher',
  },
  REGISTRATION_NEEDS_CODE: {
    status: 403,
    message: 'A sponsored registration requires an invite code: use POST /sponsor/register',
  },
  NOT_SPONSORED: { status: 403, message: '{place} cannot be sponsored: {problem}' },
  FEE_PAYER_MISUSED: { status: 403, message: 'The fee payer {key} must not appear in {place}' },
  FEE_PAYER_EXPECTED: { status: 400, message: '{place} must be the fee payer {key}' },
  SPONSOR_COST_EXCEEDED: {
    status: 403,
    message: 'The transaction exceeds the sponsorship limit: {amount} {unit}, at most {max}',
  },
  ONE_WALLET_SIGNS: {
    status: 400,
    message: 'signerPubkeys must contain one wallet: a sponsored transaction has no other signer',
  },
  FEE_PAYER_SIGNED: {
    status: 400,
    message: 'The service signs as the fee payer {key}. Leave the 64 bytes of its signature zero.',
  },
  REGISTRATION_MISMATCH: {
    status: 403,
    message: 'signerPubkey and inviteCode must match the prepared registration',
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
