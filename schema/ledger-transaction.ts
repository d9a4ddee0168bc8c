import type { BalanceChange, LedgerTransaction, TokenBalanceChange } from '../src/relay/ledger-transaction.ts'
import type { InstructionAccount, MessageInstruction } from '../src/relay/message-instructions.ts'
import { builder } from './builder.ts'

/** The node is called for each. It costs as much as 10 other requests. */
export const LEDGER_READ_UNITS = 10
/** The most accounts that a transaction can lock. */
const MAX_ACCOUNTS = 128
/** Nodes cut longer logs. */
const LOG_LINES = 200

const TransactionAccountRef = builder.objectRef<InstructionAccount>('TransactionAccount').implement({
  description: 'An account of an instruction.',
  fields: (t) => ({
    pubkey: t.expose('pubkey', { type: 'Pubkey', description: 'Address of the account.' }),
    isSigner: t.exposeBoolean('isSigner', { description: 'Whether the account signs the transaction.' }),
    isWritable: t.exposeBoolean('isWritable', {
      description: 'Whether the transaction can change the account.',
    }),
  }),
})

export const TransactionInstructionRef = builder
  .objectRef<MessageInstruction>('TransactionInstruction')
  .implement({
    description: 'An instruction of a transaction. Those that programs invoke are not listed.',
    fields: (t) => ({
      programId: t.expose('programId', { type: 'Pubkey', description: 'Address of the program.' }),
      accounts: t.field({
        type: [TransactionAccountRef],
        description: 'Accounts in the order of the instruction.',
        resolve: ({ accounts }) => [...accounts],
      }),
      data: t.exposeString('data', { description: 'Instruction data, base64.' }),
    }),
  })

const BalanceChangeRef = builder.objectRef<BalanceChange>('BalanceChange').implement({
  description: 'The SOL of an account before and after a transaction.',
  fields: (t) => ({
    account: t.expose('account', { type: 'Pubkey', description: 'Address of the account.' }),
    before: t.expose('before', { type: 'U64', description: 'Lamports before.' }),
    after: t.expose('after', { type: 'U64', description: 'Lamports after.' }),
  }),
})

const TokenBalanceChangeRef = builder.objectRef<TokenBalanceChange>('TokenBalanceChange').implement({
  description: 'The tokens of a token account before and after a transaction.',
  fields: (t) => ({
    account: t.expose('account', { type: 'Pubkey', description: 'Address of the token account.' }),
    owner: t.expose('owner', {
      type: 'Pubkey',
      nullable: true,
      description: 'Owner of the tokens. Null if the node does not name it.',
    }),
    mint: t.expose('mint', { type: 'Pubkey', description: 'Mint of the token.' }),
    decimals: t.exposeInt('decimals', { description: 'Decimals of the token.' }),
    before: t.expose('before', { type: 'U64', description: 'Base units before.' }),
    after: t.expose('after', { type: 'U64', description: 'Base units after.' }),
  }),
})

export const LedgerTransactionRef = builder.objectRef<LedgerTransaction>('LedgerTransaction').implement({
  description: 'A transaction as the ledger has it.',
  fields: (t) => ({
    signature: t.exposeString('signature', { description: 'Signature, base-58.' }),
    slot: t.expose('slot', { type: 'SafeInt', description: 'Slot in which it landed.' }),
    timestamp: t.expose('timestamp', {
      type: 'DateTime',
      nullable: true,
      description: 'Block time. Null if the node does not know it.',
    }),
    succeeded: t.exposeBoolean('succeeded', {
      description: 'Whether it succeeded. A failed transaction changes nothing, but costs its fee.',
    }),
    final: t.exposeBoolean('final', {
      description: 'Whether it is finalized, so that no fork can remove it.',
    }),
    fee: t.expose('fee', { type: 'U64', description: 'Network fee in lamports, with the priority fee.' }),
    computeUnits: t.expose('computeUnits', {
      type: 'SafeInt',
      nullable: true,
      description: 'Used compute units. Null if the node does not know them.',
    }),
    feePayer: t.expose('feePayer', { type: 'Pubkey', description: 'Who paid the fee.' }),
    instructions: t.field({
      type: [TransactionInstructionRef],
      description: 'Instructions in order.',
      resolve: ({ instructions }) => [...instructions],
    }),
    balances: t.field({
      type: [BalanceChangeRef],
      extensions: { listSize: MAX_ACCOUNTS },
      description: 'All accounts of the transaction, the fee payer first.',
      resolve: ({ balances }) => [...balances],
    }),
    tokenBalances: t.field({
      type: [TokenBalanceChangeRef],
      description: 'Token accounts of the transaction.',
      resolve: ({ tokenBalances }) => [...tokenBalances],
    }),
    logs: t.field({
      type: ['String'],
      nullable: true,
      extensions: { listSize: LOG_LINES },
      description: 'Log lines of the programs. Null if the node does not record them.',
      resolve: ({ logs }) => (logs === null ? null : [...logs]),
    }),
  }),
})

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
    args: { signature: t.arg.string({ required: true, description: 'Signature, base-58.' }) },
    resolve: (_, { signature }, { services }) => services.relay.onLedger(signature),
  }),
)
