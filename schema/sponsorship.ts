import { PREPARE_UNITS } from '../src/relay/policy.ts'
import type { Eligibility } from '../src/sponsorship/eligibility.ts'
import { builder } from './builder.ts'
import { InstructionInput, PreparedTransactionRef, PriorityLevel, TransactionRef } from './relay.ts'

const EligibilityRef = builder.objectRef<Eligibility>('Eligibility').implement({
  description: 'Whether the service would sponsor a registration now.',
  fields: (t) => ({
    eligible: t.exposeBoolean('eligible', {
      description: 'Whether the service would sponsor the registration now.',
    }),
    feePayerBalance: t.expose('feePayerBalance', {
      type: 'U64',
      nullable: true,
      description: 'Balance of the fee payer in lamports. Null unless eligible.',
    }),
    reason: t.exposeString('reason', {
      nullable: true,
      description: 'Why the wallet is not eligible. Null if eligible.',
    }),
  }),
})

const RegisterSponsoredInput = builder.inputType('RegisterSponsoredInput', {
  description: 'A registration that the service pays for.',
  fields: (t) => ({
    instructions: t.field({
      type: [InstructionInput],
      description:
        'Exactly one register_agent. Its account `payer` must be the fee payer from `detailedHealth`.',
    }),
    signerPubkey: t.field({ type: 'Pubkey', description: 'Public key of the agent’s owner. Required.' }),
    inviteCode: t.string({ description: 'Invite code. Required.' }),
  }),
})

const SubmitSponsoredRegistrationInput = builder.inputType('SubmitSponsoredRegistrationInput', {
  description: 'A signed registration that the service pays for.',
  fields: (t) => ({
    id: t.string({ description: 'The `id` from `registerSponsored`.' }),
    signedTx: t.string({
      description:
        'The transaction with the owner’s signature, base64. The signature of the fee payer must be zeros.',
    }),
    signerPubkey: t.field({ type: 'Pubkey', description: 'The same value as in `registerSponsored`.' }),
    inviteCode: t.string({ description: 'The same value as in `registerSponsored`.' }),
  }),
})

const PrepareSponsoredTransactionInput = builder.inputType('PrepareSponsoredTransactionInput', {
  description: 'The transaction to build. The service pays its network fee.',
  fields: (t) => ({
    instructions: t.field({
      type: [InstructionInput],
      description:
        '1 to 4 instructions: update_agent, suspend_agent, reactivate_agent, deposit, request_withdrawal, cancel_withdrawal, complete_withdrawal.',
    }),
    signerPubkeys: t.field({ type: ['Pubkey'], description: 'Exactly one signing wallet.' }),
    priorityLevel: t.field({
      type: PriorityLevel,
      description: 'Level of the priority fee. Default: medium.',
    }),
  }),
})

builder.queryFields((t) => ({
  eligibility: t.field({
    type: EligibilityRef,
    description: 'Checks whether the service would sponsor a registration now. Takes nothing.',
    args: {
      wallet: t.arg({ description: 'Wallet of the future agent owner. Required.', type: 'Pubkey' }),
      code: t.arg.string({ description: 'Invite code. Required.' }),
    },
    resolve: (_, args, { services, clientIp }) => services.sponsorship.eligibility(args, clientIp),
  }),
}))

builder.mutationFields((t) => ({
  registerSponsored: t.field({
    extensions: { rateLimit: 'register', units: () => PREPARE_UNITS },
    type: PreparedTransactionRef,
    description:
      'Builds the registration of an agent. The service pays the rent and the network fee. Takes nothing. Errors: see POST /sponsor/register.',
    args: {
      input: t.arg({
        description: 'The registration to build.',
        type: RegisterSponsoredInput,
        required: true,
      }),
    },
    resolve: (_, { input }, { services, clientIp }) => services.sponsorship.register(input, clientIp),
  }),
  submitSponsoredRegistration: t.field({
    extensions: { rateLimit: 'submit', priority: 'high' },
    type: TransactionRef,
    description:
      'Takes the invite code, the wallet and the budget, adds the fee payer’s signature to a registration that its owner has signed, and sends it. Errors: see POST /sponsor/register/submit.',
    args: {
      input: t.arg({
        description: 'The signed registration.',
        type: SubmitSponsoredRegistrationInput,
        required: true,
      }),
    },
    resolve: (_, { input }, { services, clientIp }) => services.sponsorship.submit(input, clientIp),
  }),
  prepareSponsoredTransaction: t.field({
    extensions: { rateLimit: 'sponsoredPrepare', units: () => PREPARE_UNITS },
    type: PreparedTransactionRef,
    description:
      'Builds a transaction whose network fee the service pays, for an agent whose registration it sponsored or whose tier is basic or higher. Send it with `submitTransaction`. Errors: see POST /relay/prepare/sponsored.',
    args: {
      input: t.arg({
        description: 'The transaction to build.',
        type: PrepareSponsoredTransactionInput,
        required: true,
      }),
    },
    resolve: (_, { input }, { services, clientIp }) =>
      services.relay.prepare({ ...input, sponsored: true }, clientIp),
  }),
}))
