import { Type } from 'typebox'
import { Instruction, PreparedTransaction, Transaction, TransactionId } from '../relay/schemas.ts'
import { errors, Pubkey, U64 } from '../contract/shapes.ts'

const CODE = '7KQ4M-X2D9H-0RTVW-P3ZBN'
const tags = ['Sponsorship']

const InviteCode = Type.String({ description: 'Required.', examples: [CODE] })
const examples = {
  403: 'The invite code is unknown, expired, revoked or used up',
  429: 'At most 5 sponsored registrations per IP address and day. Try again in 86400 s.',
  503: 'Sponsorship is off',
}

export const eligibilitySchema = {
  tags,
  operationId: 'getEligibility',
  summary: 'Whether a registration would be sponsored now',
  description: 'For this wallet, code and client address. Nothing is reserved by asking.',
  querystring: Type.Object({
    wallet: Type.Optional(Pubkey('Required: the wallet that is to own an agent.')),
    code: Type.Optional(InviteCode),
  }),
  response: {
    200: Type.Object({
      eligible: Type.Boolean(),
      feePayerBalance: Type.Optional(
        U64('Lamports of the fee payer; present when eligible is true.', 2_500_000_000),
      ),
      reason: Type.Optional(
        Type.String({
          description: 'Present when eligible is false.',
          examples: [examples[403]],
        }),
      ),
    }),
    ...errors([400], { 400: 'code is required', 503: 'The ledger RPC node is not available' }),
  },
}

export const registerSchema = {
  tags,
  operationId: 'registerSponsored',
  summary: 'Build a registration that the service pays',
  description:
    'The service pays rent and fee of one register_agent, whose account payer must be the fee payer (GET /health/detailed). Reserves the code’s use, the wallet and one of 5 registrations a day of the client’s address until the transaction succeeds, fails or expires. The owner signs, then POST /sponsor/register/submit.',
  querystring: Type.Object({}),
  body: Type.Object({
    instructions: Type.Optional(Type.Array(Instruction, { description: 'Required: one register_agent.' })),
    signerPubkey: Type.Optional(Pubkey('Required: the agent’s owner.')),
    inviteCode: Type.Optional(InviteCode),
  }),
  response: {
    200: PreparedTransaction,
    ...errors([400, 403, 409, 413, 415, 422, 429], {
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
    'Takes the transaction with the owner’s signature. The service checks that it is the prepared one, simulates it, adds its own signature last, and sends it. Answers as POST /relay/submit does.',
  querystring: Type.Object({}),
  body: Type.Object({
    id: Type.Optional(TransactionId),
    signedTx: Type.Optional(
      Type.String({
        description: 'Required: base64; zeros where the fee payer’s signature goes, which is the first.',
      }),
    ),
    signerPubkey: Type.Optional(Pubkey('Required: as for POST /sponsor/register.')),
    inviteCode: Type.Optional(InviteCode),
  }),
  response: {
    200: Transaction,
    ...errors([400, 403, 404, 410, 413, 415, 429], {
      ...examples,
      400: 'Signed transaction does not match the prepared transaction',
      403: 'signerPubkey and inviteCode must match the prepared registration',
      404: 'Transaction not found',
    }),
  },
}
