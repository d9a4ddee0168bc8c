import {
  FAILURE_CODES,
  TRANSACTION_STATUSES,
  type TransactionFailure,
} from '../src/domain/transaction-status.ts'
import type { FeeEstimate } from '../src/relay/fees.ts'
import { PRIORITY_LEVELS } from '../src/relay/policy.ts'
import type { PreparedTransaction } from '../src/relay/prepared-transaction.ts'
import type { TransactionRecord } from '../src/relay/record.ts'
import { builder } from './builder.ts'
import { enumValues } from './enum-values.ts'

export const PriorityLevel = builder.enumType('PriorityLevel', {
  description:
    'How much a transaction pays to be preferred: the 25th, 50th or 75th percentile of recent fees.',
  values: enumValues(PRIORITY_LEVELS, {
    low: '25th percentile.',
    medium: '50th percentile.',
    high: '75th percentile.',
  }),
})

const TransactionStatusRef = builder.enumType('TransactionStatus', {
  description:
    'From `pending` and `simulated` (prepared) over `submitted` to `confirmed` or `failed`. A fork may take `confirmed` back to `submitted`.',
  values: enumValues(TRANSACTION_STATUSES, {
    pending: 'Being prepared.',
    simulated: 'Prepared; waits for its signatures.',
    submitted: 'Signed and sent.',
    confirmed: 'Landed and succeeded.',
    failed: 'Did not and will not succeed; `error` says why.',
  }),
})

const FailureCode = builder.enumType('TransactionFailureCode', {
  description:
    'blockhash_expired: never landed. simulation_failed: refused before it was sent. execution_failed: landed and failed. dropped: a fork took it back, and it expired.',
  values: enumValues(FAILURE_CODES, {
    blockhash_expired: 'It never landed.',
    simulation_failed: 'It was refused before it was sent.',
    execution_failed: 'It landed and failed.',
    dropped: 'A fork took it back, and it expired.',
  }),
})

const AccountMetaInput = builder.inputType('AccountMetaInput', {
  description: 'An account that an instruction names.',
  fields: (t) => ({
    pubkey: t.field({ description: 'Its address.', type: 'Pubkey', required: true }),
    isSigner: t.boolean({ description: 'Whether it must sign.', required: true }),
    isWritable: t.boolean({ description: 'Whether the instruction may change it.', required: true }),
  }),
})

export const InstructionInput = builder.inputType('InstructionInput', {
  description: 'An instruction of a Solana program.',
  fields: (t) => ({
    programId: t.field({ description: 'The program that runs it.', type: 'Pubkey', required: true }),
    keys: t.field({
      description: 'The accounts, in the order that the program expects.',
      type: [AccountMetaInput],
      required: true,
    }),
    data: t.string({ required: true, description: 'base64.' }),
  }),
})

const PrepareTransactionInput = builder.inputType('PrepareTransactionInput', {
  description: 'What to build, and who signs it.',
  fields: (t) => ({
    instructions: t.field({ type: [InstructionInput], description: '1 to 16; without compute budget.' }),
    signerPubkeys: t.field({ type: ['Pubkey'], description: 'All signers; the first one pays.' }),
    priorityLevel: t.field({ type: PriorityLevel, description: '`medium` by default.' }),
    sponsored: t.boolean({ description: 'Whether the service pays.' }),
  }),
})

export const PreparedTransactionRef = builder
  .objectRef<PreparedTransaction>('PreparedTransaction')
  .implement({
    description: 'A transaction to sign.',
    fields: (t) => ({
      id: t.exposeString('id', { description: 'For submitTransaction and transaction.' }),
      serializedTx: t.exposeString('serializedTx', {
        description: 'base64 of the v0 transaction, zeros in the place of signatures.',
      }),
      blockhash: t.exposeString('blockhash', { description: 'Recent blockhash that it names, base-58.' }),
      lastValidBlockHeight: t.expose('lastValidBlockHeight', {
        type: 'Float',
        description: 'The last block height at which it can land.',
      }),
      estimatedComputeUnits: t.exposeInt('estimatedComputeUnits', {
        description: 'The compute-unit limit that it sets: 1.2 times what the simulation used.',
      }),
      priorityFee: t.exposeInt('priorityFee', { description: 'Micro-lamports per compute unit.' }),
      feePayer: t.expose('feePayer', { description: 'Who pays the network fee.', type: 'Pubkey' }),
      sponsored: t.exposeBoolean('sponsored', { description: 'Whether the service pays.' }),
    }),
  })

const TransactionFailureRef = builder.objectRef<TransactionFailure>('TransactionFailure').implement({
  description: 'Why a transaction failed.',
  fields: (t) => ({
    code: t.expose('code', { description: 'For machines.', type: FailureCode }),
    message: t.exposeString('message', { description: 'For people.' }),
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
    id: t.exposeString('id', { description: 'As prepareTransaction gave it.' }),
    status: t.expose('status', { description: 'How far it has come.', type: TransactionStatusRef }),
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
    sponsored: t.exposeBoolean('sponsored', { description: 'Whether the service pays.' }),
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
    args: { id: t.arg.string({ description: 'As prepareTransaction gave it.', required: true }) },
    resolve: (_, { id }, { services }) => services.relay.get(id),
  }),
  feeEstimate: t.field({
    type: FeeEstimateRef,
    description: 'What transactions pay that write these accounts, at most 128.',
    args: { accountKeys: t.arg({ description: 'Addresses that the transaction writes.', type: ['Pubkey'] }) },
    resolve: (_, args, { services }) => services.relay.estimateFees(args),
  }),
}))

builder.mutationFields((t) => ({
  submitTransaction: t.field({
    extensions: { rateLimit: 'submit', priority: 'high' },
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
    extensions: { rateLimit: 'prepare' },
    type: PreparedTransactionRef,
    description: 'Builds a transaction from instructions and simulates it. Errors as of POST /relay/prepare.',
    args: { input: t.arg({ description: 'What to build.', type: PrepareTransactionInput, required: true }) },
    resolve: async (_, { input }, { services, clientIp, count }) => {
      if (input.sponsored === true) await count('sponsoredPrepare')
      return services.relay.prepare(input, clientIp)
    },
  }),
}))
