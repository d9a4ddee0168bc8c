import { Type } from 'typebox'
import { FAILURE_CODES, TRANSACTION_STATUSES } from '../../src/domain/transaction-status.ts'
import { PRIORITY_LEVELS } from '../../src/relay/policy.ts'
import { Body, Choice, errors, named, orNull, Pubkey } from '../contract/shapes.ts'

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'
const none = { querystring: Type.Object({}), tags: ['Relay'] }

export const TransactionId = Type.String({
  description: 'The `id` from POST /relay/prepare.',
  examples: [ID],
})
const microLamports = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

export const Instruction = named(
  'Instruction',
  Body(
    {
      programId: Pubkey('Program to call. It must be on the allowlist of the relay.'),
      keys: Type.Array(
        named(
          'AccountMeta',
          Body({
            pubkey: Pubkey('Address of the account.'),
            isSigner: Type.Boolean(),
            isWritable: Type.Boolean(),
          }),
        ),
      ),
      data: Type.String({ description: 'Instruction data in base64.', examples: ['AgAAAAEAAAAAAAAA'] }),
    },
    { description: 'An instruction. The service adds the compute-budget instructions.' },
  ),
)

export const PreparedTransaction = named(
  'PreparedTransaction',
  Type.Object(
    {
      id: TransactionId,
      serializedTx: Type.String({
        description: 'The v0 transaction in base64. All signatures are zeros. Sign and submit it.',
        examples: ['AQAAAAAAAAAA…'],
      }),
      blockhash: Type.String({ examples: ['5qB8rHnVY1qPQkCSqQ4Vbz2kF7jPsvY2yG3VxkYkV8aB'] }),
      lastValidBlockHeight: Type.Integer({
        description: 'Last block height at which the transaction can land.',
        examples: [288_112_430],
      }),
      estimatedComputeUnits: Type.Integer({
        description: 'Compute-unit limit of the transaction: 1.2 times the units that the simulation used.',
        examples: [21_540],
      }),
      priorityFee: microLamports('Priority fee in micro-lamports per compute unit.', 1_000),
      feePayer: Pubkey('Public key of the fee payer: the first of `signerPubkeys`, or the service.'),
      sponsored: Type.Optional(Type.Boolean({ description: 'Present and true if the service pays.' })),
    },
    { description: 'The prepared transaction.' },
  ),
)

const TransactionFailure = named(
  'TransactionFailure',
  Type.Object(
    {
      code: Choice(FAILURE_CODES),
      message: Type.String({ examples: ['The block height passed lastValidBlockHeight'] }),
      logs: Type.Optional(Type.Array(Type.String({ examples: ['Program log: Instruction: RegisterAgent'] }))),
    },
    { description: 'Why a transaction failed.', additionalProperties: false },
  ),
)

const SAMPLE = {
  id: ID,
  status: 'confirmed',
  signature: SIGNATURE,
  error: null,
  slot: 312_004_551,
}

export const Transaction = named(
  'Transaction',
  Type.Object(
    {
      id: TransactionId,
      status: Choice(TRANSACTION_STATUSES, {
        description:
          '`simulated`: prepared. `submitted`: sent, and sent again until it lands or expires. `confirmed`: it landed; a fork can still change it back to `submitted`. `failed`: see `error`. If the wallet sends a transaction of the registry itself, the status changes when the indexer has read it, otherwise after the transaction has expired.',
      }),
      signature: orNull(
        'Transaction signature, base-58. Null before the transaction is sent, by the service or by the wallet.',
        SIGNATURE,
      ),
      error: Type.Unsafe<object | null>({
        description: 'Reason of the failure. Null unless `status` is `failed`.',
        oneOf: [TransactionFailure, Type.Null()],
      }),
      slot: Type.Unsafe<number | null>({
        type: ['integer', 'null'],
        description: 'Slot in which the transaction landed. Null before.',
        examples: [312_004_551],
      }),
      sponsored: Type.Optional(Type.Boolean({ description: 'Present and true if the service pays.' })),
    },
    { description: 'The status of the transaction.' },
  ),
  SAMPLE,
)

export const prepareSchema = {
  ...none,
  operationId: 'prepareTransaction',
  summary: 'Build a transaction to sign',
  description:
    'Builds a v0 transaction of 1 to 16 instructions and at most 1,232 bytes, and simulates it on the ledger. The first of `signerPubkeys` pays. Durable nonces and compute-budget instructions are refused.',
  body: Body({
    instructions: Type.Array(Instruction, { description: 'The instructions.' }),
    signerPubkeys: Type.Array(Pubkey('Public key of a signer.'), {
      description: 'All signers and no other keys. The first one pays.',
    }),
    priorityLevel: Type.Optional(Choice(PRIORITY_LEVELS, { default: 'medium' })),
    sponsored: Type.Optional(
      Type.Boolean({
        description:
          'True to let the service pay the network fee. The rules of POST /relay/prepare/sponsored apply.',
      }),
    ),
  }),
  response: {
    200: PreparedTransaction,
    ...errors([400, 403, 413, 415, 422], {
      400: 'instructions array is required',
      500: 'Failed to prepare transaction',
      503: 'The ledger RPC node is not available',
    }),
  },
}

export const prepareSponsoredSchema = {
  ...none,
  operationId: 'prepareSponsoredTransaction',
  summary: 'Build a transaction whose fee the service pays',
  description:
    'The service pays only the network fee, and only for the wallet’s own agent: its registration was sponsored by the service, or its tier is basic or higher. Allowed are 1 to 4 instructions of the registry: update_agent, suspend_agent, reactivate_agent, deposit, request_withdrawal, cancel_withdrawal, complete_withdrawal. Sign the transaction and send it to POST /relay/submit, which checks the daily limits of the wallet and the client address again and adds the signature of the service. For registrations, use POST /sponsor/register.',
  body: Body({
    instructions: Type.Array(Instruction, { description: 'The instructions.' }),
    signerPubkeys: Type.Array(Pubkey('Public key of the wallet.'), {
      description: 'Exactly one signing wallet.',
    }),
    priorityLevel: Type.Optional(Choice(PRIORITY_LEVELS, { default: 'medium' })),
  }),
  response: {
    200: PreparedTransaction,
    ...errors([400, 403, 413, 415, 422], {
      400: 'instructions array is required',
      500: 'Failed to prepare transaction',
      503: 'Sponsorship is off',
    }),
  },
}

export const submitSchema = {
  ...none,
  operationId: 'submitTransaction',
  summary: 'Send a signed transaction',
  description:
    'The message must equal the prepared message. Wallets may insert up to 8 Lighthouse assertions and lower the compute-unit price or limit. The request waits a few seconds for `confirmed` or `failed`, then returns the current status; poll GET /relay/status/:id for later changes. Submitting the same transaction again returns the same record and does not send it twice: after a lost response, do that, and prepare it again only when its status is failed.',
  body: Body({
    id: TransactionId,
    signedTx: Type.String({
      description: 'The transaction with all signatures, base64.',
      examples: ['AQAAAAAAAAAA…'],
    }),
  }),
  response: {
    200: Transaction,
    ...errors([400, 403, 404, 410, 413, 415], {
      400: 'Signed transaction does not match the prepared transaction',
      404: 'Transaction not found',
    }),
  },
}

export const statusSchema = {
  ...none,
  operationId: 'getTransaction',
  summary: 'Read the status of a transaction',
  description: 'Prepared transactions that were not submitted are deleted after some time.',
  params: Type.Object({ id: TransactionId }),
  response: { 200: Transaction, ...errors([400, 404], { 404: 'Transaction not found' }) },
}

export const estimateFeesSchema = {
  ...none,
  operationId: 'estimateFees',
  summary: 'Estimate priority fees',
  description:
    'Returns the 25th, 50th and 75th percentile of the fees in recent slots, for transactions that write the given accounts. The values have a minimum and a maximum. An empty list gives the estimate for all transactions.',
  body: Body({
    accountKeys: Type.Array(Pubkey('Account that the transaction writes.'), {
      description: 'At most 128 accounts.',
    }),
  }),
  response: {
    200: named(
      'FeeEstimate',
      Type.Object(
        {
          low: microLamports('25th percentile, in micro-lamports per compute unit.', 0),
          medium: microLamports('50th percentile, in micro-lamports per compute unit.', 1_000),
          high: microLamports('75th percentile, in micro-lamports per compute unit.', 10_000),
        },
        { description: 'The estimated priority fees.' },
      ),
    ),
    ...errors([400, 413, 415], {
      400: 'accountKeys array is required',
      503: 'The ledger RPC node is not available',
    }),
  },
}
