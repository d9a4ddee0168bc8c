import { PREPARE_UNITS } from '../src/transactions/limits.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { Eligibility } from '../src/transactions/prepare.ts'
import { builder } from './builder.ts'
import { args, expected, inputType, required, withDefault } from './inputs.ts'
import { bool, list, nullable, objectType, of, pubkey, text, u64 } from './columns.ts'
import {
  InstructionInput,
  PREPARE_ERRORS,
  PreparedTransactionRef,
  PriorityLevel,
  SPONSOR_ERRORS,
  SUBMIT_ERRORS,
  TransactionRef,
  UUID_EXAMPLE,
} from './relay.ts'

const CODE_EXAMPLE = '7KQ4M-X2D9H-0RTVW-P3ZBN'
const REFUSALS: readonly ErrorCode[] = ['INVITE_CODE_INVALID', 'WALLET_SPONSORED', 'SPONSOR_CLIENT_LIMIT']

const EligibilityRef = objectType<Eligibility>(
  'Eligibility',
  'Whether the service would sponsor a registration now.',
  {
    eligible: bool('Whether the service would sponsor the registration now.'),
    feePayerBalance: nullable(
      u64('Balance of the fee payer in lamports. Null unless eligible.', 2_500_000_000),
    ),
    reason: nullable(
      text(
        'Why the wallet is not eligible. Null if eligible.',
        'The invite code is unknown, expired, revoked or used up',
      ),
    ),
  },
)

const RegisterSponsoredInput = inputType(
  'RegisterSponsoredInput',
  'A registration that the service pays for.',
  {
    instructions: expected(
      list(
        of(
          InstructionInput,
          'Exactly one register_agent. Its account `payer` must be the fee payer from `detailedHealth`.',
        ),
      ),
    ),
    signerPubkey: expected(pubkey('Public key of the agent’s owner.')),
    inviteCode: expected(text('Invite code.', CODE_EXAMPLE)),
  },
)

const SubmitSponsoredRegistrationInput = inputType(
  'SubmitSponsoredRegistrationInput',
  'A signed registration that the service pays for.',
  {
    id: expected(text('The `id` of the prepared registration.', UUID_EXAMPLE)),
    signedTx: expected(
      text(
        'The transaction with the owner’s signature, base64. The signature of the fee payer must be zeros.',
        'AgAAAAAAAAAA…',
      ),
    ),
    signerPubkey: expected(pubkey('The same value as in the preparation.')),
    inviteCode: expected(text('The same value as in the preparation.', CODE_EXAMPLE)),
  },
)

const PrepareSponsoredTransactionInput = inputType(
  'PrepareSponsoredTransactionInput',
  'The transaction to build. The service pays its network fee.',
  {
    instructions: expected(
      list(
        of(
          InstructionInput,
          '1 to 4 instructions: update_agent, suspend_agent, reactivate_agent, deposit, request_withdrawal, cancel_withdrawal, complete_withdrawal.',
        ),
      ),
    ),
    signerPubkeys: expected(list(pubkey('Exactly one signing wallet.'))),
    priorityLevel: withDefault('medium', of(PriorityLevel, 'Level of the priority fee.')),
  },
)

builder.queryFields((t) => ({
  eligibility: t.field({
    extensions: { errors: ['FIELD_REQUIRED', 'LEDGER_UNAVAILABLE'] },
    type: EligibilityRef,
    description: 'Checks whether the service would sponsor a registration now. Takes nothing.',
    args: args({
      wallet: expected(pubkey('Wallet of the future agent owner.')),
      code: expected(text('Invite code.', CODE_EXAMPLE)),
    }),
    resolve: (_, args, { services, clientIp }) => services.transactions.eligibility(args, clientIp),
  }),
}))

builder.mutationFields((t) => ({
  registerSponsored: t.field({
    extensions: {
      rateLimit: 'register',
      units: () => PREPARE_UNITS,
      errors: ['FIELD_REQUIRED', ...REFUSALS, ...SPONSOR_ERRORS, 'FEE_PAYER_EXPECTED', ...PREPARE_ERRORS],
    },
    type: PreparedTransactionRef,
    description:
      'Builds the registration of an agent. The service pays the rent and the network fee. Takes nothing.',
    args: args({ input: required(of(RegisterSponsoredInput, 'The registration to build.')) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.transactions.prepareRegistration(input, clientIp),
  }),
  submitSponsoredRegistration: t.field({
    extensions: {
      rateLimit: 'submit',
      priority: 'high',
      errors: [
        ...SUBMIT_ERRORS,
        'INVITE_CODE_USED_UP',
        'REGISTRATION_MISMATCH',
        ...REFUSALS,
        ...SPONSOR_ERRORS,
      ],
    },
    type: TransactionRef,
    description:
      'Takes the invite code, the wallet and the budget, adds the fee payer’s signature to a registration that its owner has signed, and sends it.',
    args: args({ input: required(of(SubmitSponsoredRegistrationInput, 'The signed registration.')) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.transactions.submitRegistration(input, clientIp),
  }),
  prepareSponsoredTransaction: t.field({
    extensions: {
      rateLimit: 'sponsoredPrepare',
      units: () => PREPARE_UNITS,
      errors: [...PREPARE_ERRORS, 'ONE_WALLET_SIGNS', 'AGENT_NOT_SPONSORED', ...SPONSOR_ERRORS],
    },
    type: PreparedTransactionRef,
    description:
      'Builds a transaction whose network fee the service pays, for an agent whose registration it sponsored or whose tier is basic or higher. Send it with `submitTransaction`.',
    args: args({ input: required(of(PrepareSponsoredTransactionInput, 'The transaction to build.')) }),
    resolve: (_, { input }, { services, clientIp }) =>
      services.transactions.prepareSponsored(input, clientIp),
  }),
}))
