import type { TransactionFailure } from '../src/domain/transaction-status.ts'
import type { ErrorCode } from '../src/domain/errors.ts'
import type { GuardedKind } from '../src/platform/rate-limits/rate-limits.ts'
import type { FeeEstimate } from '../src/transactions/fees.ts'
import { preparedInstructions } from '../src/transactions/ledger-transaction.ts'
import { PREPARE_UNITS } from '../src/transactions/limits.ts'
import type { PreparedTransaction } from '../src/transactions/build.ts'
import type { TransactionRecord } from '../src/transactions/transaction-store.ts'
import { builder } from './builder.ts'
import { args, expected, inputType, required, withDefault } from './inputs.ts'
import { bool, id, int, list, nullable, objectType, of, pubkey, safeInt, text, time } from './columns.ts'
import { nodeType } from './node.ts'
import { enumType } from './enum-values.ts'
import { LEDGER_READ_UNITS, TransactionInstructionRef } from './ledger.ts'

export const PriorityLevel = enumType(
  'PriorityLevel',
  'Priority fee of a transaction, as a percentile of recent fees.',
  {
    low: '25th percentile.',
    medium: '50th percentile.',
    high: '75th percentile.',
  },
)

const TransactionStatusRef = enumType(
  'TransactionStatus',
  'Status of a transaction, in this order. A fork can change confirmed back to submitted.',
  {
    pending: 'The service is preparing it.',
    simulated: 'Prepared and simulated. It waits for signatures.',
    submitted: 'Signed and sent to the ledger.',
    confirmed: 'It landed and succeeded.',
    failed: 'It failed. `error` contains the reason.',
  },
)

const FailureCode = enumType('TransactionFailureCode', 'Why a transaction failed.', {
  blockhash_expired: 'It did not land before its blockhash expired.',
  simulation_failed: 'Its simulation failed, so it was not sent.',
  execution_failed: 'It landed with an error.',
  dropped: 'A fork removed it, and its blockhash expired.',
  outcome_unknown: 'It expired, and it could not be determined whether it landed.',
})

export const UUID_EXAMPLE = '0f8fad5b-d9cb-469f-a165-70867728950e'
const SIGNATURE_EXAMPLE =
  '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW'

/** What a preparation can refuse, besides the errors of its instructions. */
export const BUILD_ERRORS: readonly ErrorCode[] = [
  'PROGRAM_NOT_ALLOWED',
  'TRANSACTION_TOO_LARGE',
  'SIMULATION_FAILED',
  'PREPARE_FAILED',
  'LEDGER_UNAVAILABLE',
]
export const PREPARE_ERRORS: readonly ErrorCode[] = [
  'INSTRUCTIONS_REQUIRED',
  'SIGNERS_REQUIRED',
  'TOO_MANY_INSTRUCTIONS',
  'SIGNER_MISSING',
  'SIGNER_NOT_NEEDED',
  'REPEATED_SIGNER',
  'CANNOT_SIGN',
  'COMPUTE_BUDGET_GIVEN',
  'DURABLE_NONCE',
  ...BUILD_ERRORS,
]
/** What the service can refuse to pay. */
export const SPONSOR_ERRORS: readonly ErrorCode[] = [
  'SPONSORSHIP_OFF',
  'SPONSOR_BALANCE_LOW',
  'SPONSOR_BUDGET_USED',
  'NOT_SPONSORED',
  'FEE_PAYER_MISUSED',
  'SPONSOR_COST_EXCEEDED',
]
/** The limit that counts what the service may pay for, in addition to `prepare`. */
export function sponsoredRateLimit({ input }: Readonly<Record<string, unknown>>): GuardedKind | null {
  const { sponsored, inviteCode = null } = input as { sponsored?: unknown; inviteCode?: unknown }
  if (inviteCode !== null) return 'register'
  return sponsored === true ? 'sponsoredPrepare' : null
}
export const SUBMIT_ERRORS: readonly ErrorCode[] = [
  'TRANSACTION_MISMATCH',
  'INVALID_SIGNED_TRANSACTION',
  'TRANSACTION_VERSION_UNSUPPORTED',
  'INVALID_SIGNATURE',
  'TRANSACTION_NOT_FOUND',
  'TRANSACTION_EXPIRED',
]

const AccountMetaInput = inputType('AccountMetaInput', 'An account of an instruction.', {
  pubkey: required(pubkey('Address of the account.')),
  isSigner: required(bool('Whether the account must sign.')),
  isWritable: required(bool('Whether the instruction can change the account.')),
})

export const InstructionInput = inputType('InstructionInput', 'An instruction of a Solana program.', {
  programId: required(pubkey('Address of the program.')),
  keys: required(list(of(AccountMetaInput, 'Accounts, in the order that the program expects.'))),
  data: required(text('Instruction data, base64.', 'AgAAAAEAAAAAAAAA')),
})

const PrepareTransactionInput = inputType('PrepareTransactionInput', 'The transaction to build.', {
  instructions: expected(
    list(of(InstructionInput, '1 to 16 instructions, without compute-budget instructions.')),
  ),
  signerPubkeys: expected(list(pubkey('All signers and no other keys. The first one pays the fees.'))),
  priorityLevel: withDefault('medium', of(PriorityLevel, 'Level of the priority fee.')),
  sponsored: bool('True to let the service pay the network fee, by the rules of sponsored preparations.'),
})

export const PreparedTransactionRef = objectType<PreparedTransaction>(
  'PreparedTransaction',
  'A prepared transaction, ready to sign.',
  {
    id: text('Identifies the transaction when it is submitted, and its status.', UUID_EXAMPLE),
    serializedTx: text('The v0 transaction in base64. All signatures are zeros.', 'AQAAAAAAAAAA…'),
    blockhash: text(
      'Recent blockhash of the transaction, base-58.',
      '5qB8rHnVY1qPQkCSqQ4Vbz2kF7jPsvY2yG3VxkYkV8aB',
    ),
    lastValidBlockHeight: safeInt('Last block height at which the transaction can land.'),
    estimatedComputeUnits: int(
      'Compute-unit limit of the transaction: 1.2 times the units that the simulation used.',
      21_540,
    ),
    priorityFee: int('Priority fee in micro-lamports per compute unit.', 1_000),
    feePayer: pubkey('Public key of the fee payer.'),
    sponsored: bool('Whether the service pays the fees.'),
  },
)

const TransactionFailureRef = objectType<TransactionFailure>(
  'TransactionFailure',
  'Why a transaction failed.',
  {
    code: of(FailureCode, 'Stable error code.'),
    message: text('Explanation of the error.', 'The block height passed lastValidBlockHeight'),
    logs: nullable(
      list(text('Log lines of the programs. Null if there are none.'), {
        shown: ['Program log: Instruction: RegisterAgent'],
      }),
    ),
  },
)

export const TransactionRef = nodeType<TransactionRecord>(
  'Transaction',
  'The status of a prepared transaction.',
  {
    id: id('Identifier of the prepared transaction.', UUID_EXAMPLE),
    status: of(TransactionStatusRef, 'Current status.', 'confirmed'),
    signature: nullable(
      text(
        'Transaction signature, base-58. Null before the transaction is sent, by the service or by the wallet.',
        SIGNATURE_EXAMPLE,
      ),
    ),
    error: nullable(of(TransactionFailureRef, 'Reason of the failure. Null unless it failed.')),
    slot: nullable(safeInt('Slot in which the transaction landed. Null before.')),
    sponsored: bool('Whether the service pays the fees.'),
    preparedAt: time('Time of the preparation.'),
    submittedAt: nullable(
      time('Time at which the service sent it to the ledger, or saw that the wallet did. Null before.'),
    ),
    lastValidBlockHeight: safeInt('Last block height at which it can land.'),
  },
)

builder.objectFields(TransactionRef, (t) => ({
  final: t.exposeBoolean('settled', {
    description: 'Whether the status is final. If it is confirmed and final, it is finalized on the ledger.',
  }),
  instructions: t.field({
    type: [TransactionInstructionRef],
    description: 'The prepared instructions. A wallet may add assertions before it signs.',
    resolve: preparedInstructions,
  }),
}))

const FeeEstimateRef = objectType<FeeEstimate>(
  'FeeEstimate',
  'Estimated priority fees in micro-lamports per compute unit.',
  {
    low: int('25th percentile.', 0),
    medium: int('50th percentile.', 1_000),
    high: int('75th percentile.', 10_000),
  },
)

builder.objectField(PreparedTransactionRef, 'transaction', (t) =>
  t.field({
    type: TransactionRef,
    description: 'The transaction with its status.',
    resolve: ({ id }, _args, { services }) => services.transactions.get(id),
  }),
)

builder.queryFields((t) => ({
  transaction: t.field({
    extensions: { errors: ['TRANSACTION_NOT_FOUND'] },
    type: TransactionRef,
    nullable: true,
    description:
      'Returns the current status of a prepared transaction. Simulated: it was not submitted. Submitted: it can still land. Confirmed: it is on the ledger. Failed: it can no longer land, unless its outcome is unknown.',
    args: args({ id: required(text('The `id` of the prepared transaction.', UUID_EXAMPLE)) }),
    resolve: (_, { id }, { services }) => services.transactions.get(id),
  }),
  transactionBySignature: t.field({
    extensions: { errors: ['TRANSACTION_NOT_FOUND'] },
    type: TransactionRef,
    nullable: true,
    description: 'Returns the prepared transaction with this signature.',
    args: args({ signature: required(text('Signature, base-58.')) }),
    resolve: (_, { signature }, { services }) => services.transactions.getBySignature(signature),
  }),
  feeEstimate: t.field({
    extensions: {
      errors: ['ACCOUNT_KEYS_REQUIRED', 'TOO_MANY_ACCOUNT_KEYS', 'LEDGER_UNAVAILABLE'],
      units: ({ accountKeys }) =>
        Array.isArray(accountKeys) && accountKeys.length > 0 ? LEDGER_READ_UNITS : 1,
    },
    type: FeeEstimateRef,
    description: `Estimates priority fees from recent transactions that write the given accounts. Costs ${LEDGER_READ_UNITS} units, or one without accounts.`,
    args: args({
      accountKeys: expected(
        list(
          pubkey(
            'Accounts that the transaction writes. At most 128. An empty list gives the estimate for all transactions.',
          ),
        ),
      ),
    }),
    resolve: (_, args, { services }) => services.transactions.estimateFees(args),
  }),
}))

builder.mutationFields((t) => ({
  submitTransaction: t.field({
    extensions: {
      rateLimit: 'submit',
      priority: 'high',
      errors: [
        'SUBMISSION_FIELDS_REQUIRED',
        ...SUBMIT_ERRORS,
        'SPONSORED_REGISTRATION',
        'AGENT_NOT_SPONSORED',
        'FEE_PAYER_SIGNED',
        ...SPONSOR_ERRORS,
      ],
    },
    type: TransactionRef,
    description: 'Sends a signed transaction once and waits a few seconds for its outcome.',
    args: args({
      id: expected(text('The `id` of the prepared transaction.', UUID_EXAMPLE)),
      signedTx: expected(text('The transaction with all signatures, base64.', 'AQAAAAAAAAAA…')),
    }),
    resolve: (_, args, { services, clientIp }) => services.transactions.submit(args, clientIp),
  }),
  prepareTransaction: t.field({
    extensions: {
      rateLimit: 'prepare',
      sponsoredRateLimit,
      units: () => PREPARE_UNITS,
      errors: PREPARE_ERRORS,
    },
    type: PreparedTransactionRef,
    description: 'Builds a transaction from instructions and simulates it.',
    args: args({ input: required(of(PrepareTransactionInput, 'The transaction to build.')) }),
    resolve: (_, { input }, { services: { transactions }, clientIp }) =>
      input.sponsored === true ? transactions.prepareSponsored(input, clientIp) : transactions.prepare(input),
  }),
}))
