import type { Eligibility } from '../src/sponsorship/eligibility.ts'
import { builder } from './builder.ts'
import { InstructionInput, PreparedTransactionRef, PriorityLevel, TransactionRef } from './relay.ts'

const EligibilityRef = builder.objectRef<Eligibility>('Eligibility').implement({
  description: 'Whether a registration would be sponsored now.',
  fields: (t) => ({
    eligible: t.exposeBoolean('eligible', {
      description: 'Whether the registration would be sponsored now.',
    }),
    feePayerBalance: t.expose('feePayerBalance', {
      type: 'U64',
      nullable: true,
      description: 'Lamports; null unless eligible.',
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Null where eligible.' }),
  }),
})

const RegisterSponsoredInput = builder.inputType('RegisterSponsoredInput', {
  description: 'A registration for the service to pay.',
  fields: (t) => ({
    instructions: t.field({
      type: [InstructionInput],
      description: 'One register_agent; its account `payer` is the fee payer that `detailedHealth` names.',
    }),
    signerPubkey: t.field({ type: 'Pubkey', description: 'The agent’s owner.' }),
    inviteCode: t.string({ description: 'Required.' }),
  }),
})

const SubmitSponsoredRegistrationInput = builder.inputType('SubmitSponsoredRegistrationInput', {
  description: 'A signed registration that the service is to pay.',
  fields: (t) => ({
    id: t.string({ description: 'Of registerSponsored.' }),
    signedTx: t.string({
      description: 'base64, signed by the owner; zeros where the fee payer’s signature goes.',
    }),
    signerPubkey: t.field({ type: 'Pubkey', description: 'As for registerSponsored.' }),
    inviteCode: t.string({ description: 'As for registerSponsored.' }),
  }),
})

const PrepareSponsoredTransactionInput = builder.inputType('PrepareSponsoredTransactionInput', {
  description: 'What to build, for the service to pay.',
  fields: (t) => ({
    instructions: t.field({
      type: [InstructionInput],
      description:
        '1 to 4 of update_agent, suspend_agent, reactivate_agent, deposit, request_withdrawal, cancel_withdrawal, complete_withdrawal.',
    }),
    signerPubkeys: t.field({ type: ['Pubkey'], description: 'The one wallet that signs.' }),
    priorityLevel: t.field({ type: PriorityLevel, description: '`medium` by default.' }),
  }),
})

builder.queryFields((t) => ({
  eligibility: t.field({
    type: EligibilityRef,
    description: 'Whether a wallet’s registration would be sponsored now, for an invite code.',
    args: {
      wallet: t.arg({ description: 'Who would register.', type: 'Pubkey' }),
      code: t.arg.string({ description: 'An invite code.' }),
    },
    resolve: (_, args, { services, clientIp }) => services.sponsorship.eligibility(args, clientIp),
  }),
}))

builder.mutationFields((t) => ({
  registerSponsored: t.field({
    extensions: { rateLimit: 'register' },
    type: PreparedTransactionRef,
    description:
      'Builds the registration of an agent of which the service pays rent and fee. Errors as of POST /sponsor/register.',
    args: {
      input: t.arg({ description: 'The registration.', type: RegisterSponsoredInput, required: true }),
    },
    resolve: (_, { input }, { services, clientIp }) => services.sponsorship.register(input, clientIp),
  }),
  submitSponsoredRegistration: t.field({
    extensions: { rateLimit: 'submit', priority: 'high' },
    type: TransactionRef,
    description:
      'Signs a registration as the fee payer after its owner, and sends it. Errors as of POST /sponsor/register/submit.',
    args: {
      input: t.arg({
        description: 'The signed registration.',
        type: SubmitSponsoredRegistrationInput,
        required: true,
      }),
    },
    resolve: (_, { input }, { services }) => services.sponsorship.submit(input),
  }),
  prepareSponsoredTransaction: t.field({
    extensions: { rateLimit: 'sponsoredPrepare' },
    type: PreparedTransactionRef,
    description:
      'Builds a transaction of which the service pays the network fee; for submitTransaction. Errors as of POST /relay/prepare/sponsored.',
    args: {
      input: t.arg({ description: 'What to build.', type: PrepareSponsoredTransactionInput, required: true }),
    },
    resolve: (_, { input }, { services, clientIp }) =>
      services.relay.prepare({ ...input, sponsored: true }, clientIp),
  }),
}))
