import { Type } from 'typebox'
import { Instruction, PreparedTransaction, Transaction, TransactionId } from '../relay/schemas.ts'
import { Body, errors, named, OneOf, Pubkey, U64 } from '../contract/shapes.ts'

const CODE = '7KQ4M-X2D9H-0RTVW-P3ZBN'
const tags = ['Sponsorship']

const InviteCode = Type.String({ description: 'Invite code.', examples: [CODE] })
const examples = {
  403: 'The invite code is unknown, expired, revoked or used up',
  429: 'At most 5 sponsored registrations per IP address and day: 5 signed in the last 24 hours. Try again in 86400 s.',
  503: 'Sponsorship is off',
}

const Eligibility = OneOf(
  [
    named(
      'Eligible',
      Type.Object({
        eligible: Type.Literal(true),
        feePayerBalance: U64('Balance of the fee payer in lamports.', 2_500_000_000),
      }),
    ),
    named(
      'NotEligible',
      Type.Object({
        eligible: Type.Literal(false),
        reason: Type.String({ description: 'Why the wallet is not eligible.', examples: [examples[403]] }),
      }),
    ),
  ],
  { description: 'The result of the check.' },
)

export const eligibilitySchema = {
  tags,
  operationId: 'getEligibility',
  summary: 'Check whether a registration would be sponsored now',
  description:
    'Checks the wallet, the invite code, the client address, the budget and the balance. Takes nothing.',
  querystring: Type.Object({
    wallet: Pubkey('Wallet of the future agent owner.'),
    code: InviteCode,
  }),
  response: {
    200: Eligibility,
    ...errors([400], { 400: 'code is required', 503: 'The ledger RPC node is not available' }),
  },
}

export const registerSchema = {
  tags,
  operationId: 'registerSponsored',
  summary: 'Build a registration that the service pays for',
  description:
    'The service pays the rent and the network fee of one register_agent. The account `payer` of the instruction must be the fee payer (see GET /health/detailed). The request checks the invite code, the wallet, the limits and the budget. It keeps nothing from others, and counts against the daily limit of the client address until it expires. The owner signs the transaction; then send it to POST /sponsor/register/submit.',
  querystring: Type.Object({}),
  body: Body({
    instructions: Type.Array(Instruction, { description: 'Exactly one register_agent.' }),
    signerPubkey: Pubkey('Public key of the agent’s owner.'),
    inviteCode: InviteCode,
  }),
  response: {
    200: PreparedTransaction,
    ...errors([400, 403, 409, 413, 415, 422], {
      ...examples,
      400: 'inviteCode is required',
      409: 'Wallet 4QdLc3JjrXpNUiqRhgoz8oxYAeDn19b9DAKFsSLdPfBo has already received a sponsored registration',
      500: 'Failed to prepare transaction',
    }),
  },
}

export const submitRegistrationSchema = {
  tags,
  operationId: 'submitSponsoredRegistration',
  summary: 'Send a sponsored registration',
  description:
    'Send the transaction with the owner’s signature. The service checks that it is the prepared transaction and simulates it. It then takes one use of the invite code, the wallet, one of the daily registrations of the client address and the budget, adds the signature of the fee payer and sends the transaction. If others used up the code or the budget before that, it takes and signs nothing: 403 or 503. A registration that lands and fails returns the use of its code, up to 3 times per code. The response is the same as for POST /relay/submit.',
  querystring: Type.Object({}),
  body: Body({
    id: TransactionId,
    signedTx: Type.String({
      description:
        'The transaction with the owner’s signature, base64. The first signature, that of the fee payer, must be zeros.',
      examples: ['AgAAAAAAAAAA…'],
    }),
    signerPubkey: Pubkey('The same value as in POST /sponsor/register.'),
    inviteCode: InviteCode,
  }),
  response: {
    200: Transaction,
    ...errors([400, 403, 404, 409, 410, 413, 415], {
      ...examples,
      400: 'Signed transaction does not match the prepared transaction',
      403: 'The invite code was used up before this registration was signed. Nothing was sent.',
      404: 'Transaction not found',
      409: 'Wallet 4QdLc3JjrXpNUiqRhgoz8oxYAeDn19b9DAKFsSLdPfBo has already received a sponsored registration',
    }),
  },
}
