import type { LedgerHead } from '../src/transactions/ledger-state.ts'
import { builder } from './builder.ts'
import { args, required } from './inputs.ts'
import { int, objectType, safeInt, bool, list, nullable, of, pubkey, text, time, u64 } from './columns.ts'
import type { AccountMeta } from '@agent-registry/solana'
import {
  type BalanceChange,
  innerData,
  type InnerInstruction,
  type LedgerTransaction,
  type MessageInstruction,
  type TokenBalanceChange,
} from '../src/transactions/ledger-transaction.ts'

const LedgerRef = objectType<LedgerHead>(
  'Ledger',
  'The ledger at its newest confirmed block, as the node reports it.',
  {
    slot: safeInt('Slot of the block.'),
    blockHeight: safeInt(
      'Height of the block. A transaction can land while this is at most its `lastValidBlockHeight`.',
    ),
    epoch: safeInt('Epoch of the block.'),
  },
)

builder.objectField(LedgerRef, 'rentExemption', (t) =>
  t.field({
    type: 'U64',
    description:
      'Rent: the lamports that an account must hold. They come back when it is closed. From a cache of a few minutes.',
    extensions: { errors: ['INVALID_INTEGER', 'LEDGER_UNAVAILABLE'] },
    args: args({ bytes: required(int('Bytes of data of the account, 0 to 10,485,760.')) }),
    resolve: async (_, { bytes }, { services }) => String(await services.ledger.rentExemption(bytes)),
  }),
)

builder.objectField(LedgerRef, 'time', (t) =>
  t.field({
    type: 'DateTime',
    description: 'The clock of the ledger’s programs, by which cooldowns end. It can differ from yours.',
    extensions: { errors: ['LEDGER_UNAVAILABLE'] },
    resolve: (_, _args, { services }) => services.ledger.time(),
  }),
)

builder.queryField('ledger', (t) =>
  t.field({
    type: LedgerRef,
    extensions: { errors: ['LEDGER_UNAVAILABLE'] },
    description: 'Block height, time and rent of the ledger, at most a second old.',
    resolve: (_, _args, { services }) => services.ledger.head(),
  }),
)

/** The node is called for each. It costs as much as 10 other requests. */
export const LEDGER_READ_UNITS = 10
/** The most accounts that a transaction can lock. */
const MAX_ACCOUNTS = 128
/** The most instructions that a transaction executes. */
const MAX_INVOKED = 64
/** Nodes cut longer logs. */
const LOG_LINES = 200

const TransactionAccountRef = objectType<AccountMeta>('TransactionAccount', 'An account of an instruction.', {
  pubkey: pubkey('Address of the account.'),
  isSigner: bool('Whether the account signs the transaction.'),
  isWritable: bool('Whether the transaction can change the account.'),
})

export const TransactionInstructionRef = objectType<MessageInstruction>(
  'TransactionInstruction',
  'An instruction of a transaction.',
  {
    programId: pubkey('Address of the program.'),
    accounts: list(of(TransactionAccountRef, 'Accounts in the order of the instruction.')),
    data: text('Instruction data, base64.'),
  },
)

const InnerInstructionRef = objectType<InnerInstruction>(
  'InnerInstruction',
  'An instruction that a program invoked.',
  {
    instruction: int('Number of the instruction of the transaction that caused it, from 1.', 1, {
      minimum: 1,
    }),
    depth: int(
      '1 if that instruction invoked it, 2 if an instruction of depth 1 before it did, and so on.',
      1,
      {
        minimum: 1,
      },
    ),
    programId: pubkey('Address of the program.'),
    accounts: list(of(TransactionAccountRef, 'Accounts in the order of the instruction.')),
  },
)

builder.objectField(InnerInstructionRef, 'data', (t) =>
  t.string({
    nullable: true,
    description: 'Instruction data, base64. Null above 700 bytes.',
    resolve: innerData,
  }),
)

const BalanceChangeRef = objectType<BalanceChange>(
  'BalanceChange',
  'The SOL of an account before and after a transaction.',
  {
    account: pubkey('Address of the account.'),
    before: u64('Lamports before.'),
    after: u64('Lamports after.'),
  },
)

const TokenBalanceChangeRef = objectType<TokenBalanceChange>(
  'TokenBalanceChange',
  'The tokens of a token account before and after a transaction.',
  {
    account: pubkey('Address of the token account.'),
    owner: nullable(pubkey('Owner of the tokens. Null if the node does not name it.')),
    mint: pubkey('Mint of the token.'),
    decimals: int('Decimals of the token.'),
    before: u64('Base units before.'),
    after: u64('Base units after.'),
  },
)

export const LedgerTransactionRef = objectType<LedgerTransaction>(
  'LedgerTransaction',
  'A transaction as the ledger has it.',
  {
    signature: text('Signature, base-58.'),
    slot: safeInt('Slot in which it landed.'),
    timestamp: nullable(time('Block time. Null if the node does not know it.')),
    succeeded: bool('Whether it succeeded. A failed transaction changes nothing, but costs its fee.'),
    final: bool('Whether it is finalized, so that no fork can remove it.'),
    fee: u64('Network fee in lamports, with the priority fee.'),
    computeUnits: nullable(safeInt('Used compute units. Null if the node does not know them.')),
    feePayer: pubkey('Who paid the fee.'),
    instructions: list(of(TransactionInstructionRef, 'Instructions in order.')),
    innerInstructions: list(
      of(
        InnerInstructionRef,
        'Instructions that programs invoked, in order of execution. Empty if the node does not record them.',
      ),
      { listSize: MAX_INVOKED },
    ),
    balances: list(of(BalanceChangeRef, 'All accounts of the transaction, the fee payer first.'), {
      listSize: MAX_ACCOUNTS,
    }),
    tokenBalances: list(of(TokenBalanceChangeRef, 'Token accounts of the transaction.')),
    logs: nullable(
      list(text('Log lines of the programs. Null if the node does not record them.'), {
        listSize: LOG_LINES,
      }),
    ),
  },
)

builder.queryField('ledgerTransaction', (t) =>
  t.field({
    type: LedgerTransactionRef,
    nullable: true,
    extensions: {
      units: () => LEDGER_READ_UNITS,
      errors: ['TRANSACTION_NOT_FOUND', 'LEDGER_UNAVAILABLE'],
    },
    description:
      'Reads a landed transaction from the ledger. Only transactions that called the registry program and succeeded, or that this service sent.',
    args: args({ signature: required(text('Signature, base-58.')) }),
    resolve: (_, { signature }, { services }) => services.transactions.onLedger(signature),
  }),
)
