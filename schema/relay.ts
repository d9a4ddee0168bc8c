import {
  FAILURE_CODES,
  TRANSACTION_STATUSES,
  type TransactionFailure,
} from '../src/domain/transaction-status.ts'
import type { FeeEstimate } from '../src/relay/fee-samples.ts'
import { PRIORITY_LEVELS } from '../src/relay/policy.ts'
import type { PreparedTransactionView } from '../src/relay/prepare.ts'
import type { TransactionRecord } from '../src/relay/record.ts'
import { builder } from './builder.ts'

export const PriorityLevel = builder.enumType('PriorityLevel', {
  description:
    'How much a transaction pays to be preferred: the 25th, 50th or 75th percentile of recent fees.',
  values: PRIORITY_LEVELS,
})

const TransactionStatusRef = builder.enumType('TransactionStatus', {
  description:
    'From `pending` and `simulated` (prepared) over `submitted` to `confirmed` or `failed`. A fork may take `confirmed` back to `submitted`.',
  values: TRANSACTION_STATUSES,
})

const FailureCode = builder.enumType('TransactionFailureCode', {
  description:
    'blockhash_expired: never landed. simulation_failed: refused before it was sent. execution_failed: landed and failed. dropped: a fork took it back, and it expired.',
  values: FAILURE_CODES,
})

const AccountMetaInput = builder.inputType('AccountMetaInput', {
  fields: (t) => ({
    pubkey: t.field({ type: 'Pubkey', required: true }),
    isSigner: t.boolean({ required: true }),
    isWritable: t.boolean({ required: true }),
  }),
})

export const InstructionInput = builder.inputType('InstructionInput', {
  description: 'An instruction of a Solana program.',
  fields: (t) => ({
    programId: t.field({ type: 'Pubkey', required: true }),
    keys: t.field({ type: [AccountMetaInput], required: true }),
    data: t.string({ required: true, description: 'base64.' }),
  }),
})

const PrepareTransactionInput = builder.inputType('PrepareTransactionInput', {
  fields: (t) => ({
    instructions: t.field({ type: [InstructionInput], description: '1 to 16; without compute budget.' }),
    signerPubkeys: t.field({ type: ['Pubkey'], description: 'All signers; the first one pays.' }),
    priorityLevel: t.field({ type: PriorityLevel, description: '`medium` by default.' }),
    sponsored: t.boolean({ description: 'Whether the service pays.' }),
  }),
})

export const PreparedTransactionRef = builder
  .objectRef<PreparedTransactionView>('PreparedTransaction')
  .implement({
    description: 'A transaction to sign.',
    fields: (t) => ({
      id: t.exposeString('id', { description: 'For submitTransaction and transaction.' }),
      serializedTx: t.exposeString('serializedTx', {
        description: 'base64 of the v0 transaction, zeros in the place of signatures.',
      }),
      blockhash: t.exposeString('blockhash'),
      lastValidBlockHeight: t.expose('lastValidBlockHeight', {
        type: 'Float',
        description: 'The last block height at which it can land.',
      }),
      estimatedComputeUnits: t.exposeInt('estimatedComputeUnits', {
        description: 'The compute-unit limit that it sets: 1.2 times what the simulation used.',
      }),
      priorityFee: t.exposeInt('priorityFee', { description: 'Micro-lamports per compute unit.' }),
      feePayer: t.expose('feePayer', { type: 'Pubkey' }),
      sponsored: t.exposeBoolean('sponsored'),
    }),
  })

const TransactionFailureRef = builder.objectRef<TransactionFailure>('TransactionFailure').implement({
  fields: (t) => ({
    code: t.expose('code', { type: FailureCode }),
    message: t.exposeString('message'),
    logs: t.field({
      type: ['String'],
      nullable: true,
      description: 'Log lines of the programs, where there are any.',
      resolve: ({ logs }) => (logs === undefined ? null : [...logs]),
    }),
  }),
})

export const TransactionRef = builder.objectRef<TransactionRecord>('Transaction').implement({
  description: 'What became of a prepared transaction.',
  fields: (t) => ({
    id: t.exposeString('id'),
    status: t.expose('status', { type: TransactionStatusRef }),
    signature: t.exposeString('signature', {
      nullable: true,
      description: 'Base-58; null before it was submitted.',
    }),
    error: t.expose('error', {
      type: TransactionFailureRef,
      nullable: true,
      description: 'Exactly where the status is `failed`.',
    }),
    slot: t.expose('slot', { type: 'Float', nullable: true, description: 'Where it landed.' }),
    sponsored: t.exposeBoolean('sponsored'),
  }),
})

const FeeEstimateRef = builder.objectRef<FeeEstimate>('FeeEstimate').implement({
  description: 'Micro-lamports per compute unit.',
  fields: (t) => ({
    low: t.exposeInt('low', { description: '25th percentile.' }),
    medium: t.exposeInt('medium', { description: '50th percentile.' }),
    high: t.exposeInt('high', { description: '75th percentile.' }),
  }),
})

builder.queryFields((t) => ({
  transaction: t.field({
    type: TransactionRef,
    description: 'A prepared transaction. Error TRANSACTION_NOT_FOUND where there is none.',
    args: { id: t.arg.string({ required: true }) },
    resolve: (_, { id }, { services }) => services.relay.get(id),
  }),
  feeEstimate: t.field({
    type: FeeEstimateRef,
    description: 'What transactions pay that write these accounts, at most 128.',
    args: { accountKeys: t.arg({ type: ['Pubkey'] }) },
    resolve: (_, args, { services }) => services.relay.estimateFees(args),
  }),
}))

builder.mutationFields((t) => ({
  submitTransaction: t.field({
    type: TransactionRef,
    description:
      'Sends a signed transaction, once, and waits some seconds for its outcome. Errors as of POST /relay/submit.',
    args: {
      id: t.arg.string({ description: 'Of prepareTransaction.' }),
      signedTx: t.arg.string({ description: 'base64 of the transaction with all signatures.' }),
    },
    resolve: (_, args, { services }) => services.relay.submit(args),
  }),
  prepareTransaction: t.field({
    type: PreparedTransactionRef,
    description: 'Builds a transaction from instructions and simulates it. Errors as of POST /relay/prepare.',
    args: { input: t.arg({ type: PrepareTransactionInput, required: true }) },
    resolve: async (_, { input }, { services, clientIp, count }) => {
      if (input.sponsored === true) await count('sponsoredPrepare')
      return services.relay.prepare(input, clientIp)
    },
  }),
}))
