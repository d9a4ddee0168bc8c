import { Type } from 'typebox'
import { FAILURE_CODES, TRANSACTION_STATUSES } from '../../src/domain/transaction-status.ts'
import { PRIORITY_LEVELS } from '../../src/relay/policy.ts'
import { Choice, errors, Pubkey } from '../contract/shapes.ts'

const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const none = { querystring: Type.Object({}), tags: ['Relay'] }

export const TransactionId = Type.String({ description: 'Of POST /relay/prepare.', examples: [ID] })
const microLamports = (description: string, example: number) =>
  Type.Integer({ minimum: 0, description, examples: [example] })

export const Instruction = Type.Object(
  {
    programId: Pubkey('Program to call; it must be on the relay’s allowlist.'),
    keys: Type.Array(
      Type.Object({
        pubkey: Pubkey('Account.'),
        isSigner: Type.Boolean(),
        isWritable: Type.Boolean(),
      }),
    ),
    data: Type.String({ description: 'Instruction data in base64.', examples: ['AgAAAAEAAAAAAAAA'] }),
  },
  { description: 'An instruction. Those of the compute budget are added by the service.' },
)

export const PreparedTransaction = Type.Object({
  id: TransactionId,
  serializedTx: Type.String({
    description: 'base64 of the v0 transaction, zeros in the place of signatures: sign and submit it.',
    examples: ['AQAAAAAAAAAA…'],
  }),
  blockhash: Type.String({ examples: ['5qB8rHnVY1qPQkCSqQ4Vbz2kF7jPsvY2yG3VxkYkV8aB'] }),
  lastValidBlockHeight: Type.Integer({
    description: 'The last block height at which it can land.',
    examples: [288_112_430],
  }),
  estimatedComputeUnits: Type.Integer({
    description: 'The compute-unit limit that it sets: 1.2 times what the simulation used.',
    examples: [21_540],
  }),
  priorityFee: microLamports('Micro-lamports per compute unit.', 1_000),
  feePayer: Pubkey('Who pays: the first of signerPubkeys, or the service.'),
  sponsored: Type.Optional(Type.Boolean({ description: 'Present and true when the service pays.' })),
})

export const Transaction = Type.Object({
  id: TransactionId,
  status: Choice(TRANSACTION_STATUSES, {
    description:
      'simulated: prepared. submitted: stored and sent, sent again until it lands or expires. confirmed: a fork may still take it back to submitted. failed: see error.',
  }),
  signature: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Base-58; null before it was submitted.',
    examples: ['5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'],
  }),
  error: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    description: 'Non-null exactly when status is failed.',
    additionalProperties: false,
    required: ['code', 'message'],
    properties: {
      code: Choice(FAILURE_CODES),
      message: Type.String({ examples: ['The block height passed lastValidBlockHeight'] }),
      logs: Type.Array(Type.String({ examples: ['Program log: Instruction: RegisterAgent'] })),
    },
  }),
  slot: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Where it landed; null before.',
    examples: [312_004_551],
  }),
  sponsored: Type.Optional(Type.Boolean({ description: 'Present and true when the service paid.' })),
})

export const prepareSchema = {
  ...none,
  operationId: 'prepareTransaction',
  summary: 'Build a transaction to sign',
  description:
    'A v0 transaction of 1 to 16 instructions and at most 1,232 bytes, simulated on the ledger before it is answered. The first of signerPubkeys pays. Nonces and compute-budget instructions are refused.',
  body: Type.Object({
    instructions: Type.Optional(Type.Array(Instruction, { description: 'Required.' })),
    signerPubkeys: Type.Optional(
      Type.Array(Pubkey('A signer.'), {
        description: 'Required: all signers and no others; the first pays.',
      }),
    ),
    priorityLevel: Type.Optional(Choice(PRIORITY_LEVELS, { default: 'medium' })),
    sponsored: Type.Optional(Type.Boolean({ description: 'Whether the service shall pay.' })),
  }),
  response: {
    200: PreparedTransaction,
    ...errors([400, 403, 413, 415, 422, 429], {
      400: 'instructions array is required',
      500: 'Failed to prepare transaction',
    }),
  },
}

export const prepareSponsoredSchema = {
  ...none,
  operationId: 'prepareSponsoredTransaction',
  summary: 'Build a transaction that the service pays',
  description:
    'The service pays the network fee and nothing else. 1 to 4 instructions of the registry: update_agent, suspend_agent, reactivate_agent, deposit, request_withdrawal, cancel_withdrawal, complete_withdrawal. Sign and send it to POST /relay/submit; the service adds its signature. Registrations: POST /sponsor/register.',
  body: Type.Object({
    instructions: Type.Optional(Type.Array(Instruction, { description: 'Required.' })),
    signerPubkeys: Type.Optional(
      Type.Array(Pubkey('The wallet that signs.'), { description: 'Required: one wallet.' }),
    ),
    priorityLevel: Type.Optional(Choice(PRIORITY_LEVELS, { default: 'medium' })),
  }),
  response: {
    200: PreparedTransaction,
    ...errors([400, 403, 413, 415, 422, 429], {
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
    'The message must be the prepared one; wallets may insert up to 8 Lighthouse assertions and lower the compute-unit price or limit. Waits some seconds for confirmed or failed, then answers what is known: poll GET /relay/status/:id. The same transaction again gets the same record and is not sent twice.',
  body: Type.Object({
    id: Type.Optional(TransactionId),
    signedTx: Type.Optional(
      Type.String({ description: 'Required: base64 of the transaction with all signatures.' }),
    ),
  }),
  response: {
    200: Transaction,
    ...errors([400, 404, 410, 413, 415], {
      400: 'Signed transaction does not match the prepared transaction',
      404: 'Transaction not found',
    }),
  },
}

export const statusSchema = {
  ...none,
  operationId: 'getTransaction',
  summary: 'What became of a transaction',
  params: Type.Object({ id: TransactionId }),
  response: { 200: Transaction, ...errors([404], { 404: 'Transaction not found' }) },
}

export const estimateFeesSchema = {
  ...none,
  operationId: 'estimateFees',
  summary: 'Estimate priority fees',
  description:
    'Percentiles 25, 50 and 75 of what transactions paid in recent slots that wrote the given accounts; within a floor and a ceiling. Without keys, of all transactions.',
  body: Type.Object({
    accountKeys: Type.Optional(
      Type.Array(Pubkey('An account that the transaction writes.'), {
        description: 'Required; at most 128.',
      }),
    ),
  }),
  response: {
    200: Type.Object({
      low: microLamports('Micro-lamports per compute unit.', 0),
      medium: microLamports('Micro-lamports per compute unit.', 1_000),
      high: microLamports('Micro-lamports per compute unit.', 10_000),
    }),
    ...errors([400, 413, 415], {
      400: 'accountKeys array is required',
      503: 'The ledger RPC node is not available',
    }),
  },
}
