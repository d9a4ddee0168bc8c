import {
  type AccountMeta,
  decodeBase58,
  type Message,
  parseTransaction,
  type Pubkey,
  signatureBytes,
} from '@agent-registry/solana'
import { type Kysely, sql } from 'kysely'
import type { Database } from '../db/database.ts'
import { DomainError } from '../domain/errors.ts'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'
import { fetchTransaction, mapLedgerError } from './ledger-state.ts'
import { preparedMessage, staticAccounts } from './match.ts'
import type { TransactionRecord } from './transaction-store.ts'

/** A transaction as the ledger has it. Amounts are decimal text. */
export type LedgerTransaction = Awaited<ReturnType<typeof readLedgerTransaction>>
export type TokenBalanceChange = ReturnType<typeof tokenChanges>[number]
export type BalanceChange = Pick<TokenBalanceChange, 'account' | 'before' | 'after'>
/** An instruction of a message, with its accounts by address. */
export type MessageInstruction = ReturnType<typeof messageInstructions>[number]

interface TokenBalance {
  accountIndex: number
  mint: Pubkey
  owner?: Pubkey
  uiTokenAmount: { amount: string; decimals: number }
}

interface FoundTransaction {
  slot: number
  blockTime: number | null
  transaction: [bytes: string, encoding: string]
  meta: {
    err: unknown
    fee: number
    computeUnitsConsumed?: number
    preBalances: number[]
    postBalances: number[]
    preTokenBalances?: TokenBalance[] | null
    postTokenBalances?: TokenBalance[] | null
    logMessages?: string[] | null
    loadedAddresses?: LoadedAddresses | null
    /** Null if the node does not record them. */
    innerInstructions?: InnerGroup[] | null
  } | null
}

interface InnerGroup {
  readonly index: number
  readonly instructions: readonly {
    readonly programIdIndex: number
    readonly accounts?: readonly number[]
    /** Base-58. */
    readonly data: string
    /** 2 for those that an instruction of the message invoked. Old blocks have none. */
    readonly stackHeight?: number | null
  }[]
}

/** An instruction that a program invoked. */
export type InnerInstruction = ReturnType<typeof innerInstructions>[number]

/**
 * Reads a transaction from the ledger. The node is asked only for transactions that called the
 * registry or were sent by the relay. Throws TRANSACTION_NOT_FOUND for others, also if they exist.
 */
export async function readLedgerTransaction(
  signature: string,
  { kysely, rpc }: { readonly kysely: Kysely<Database>; readonly rpc: LedgerCalls },
) {
  const known = await findFinality(kysely, signature)
  if (known === null) throw new DomainError('TRANSACTION_NOT_FOUND')
  const found = await mapLedgerError(fetchTransaction<FoundTransaction>(rpc, signature))
  // Not landed, removed by a fork, or older than what the node keeps.
  if (!found?.meta) throw new DomainError('TRANSACTION_NOT_FOUND')
  const { meta, slot, blockTime } = found
  const { message } = parseTransaction(Buffer.from(found.transaction[0], 'base64'))
  const accounts = messageAccounts(message, meta.loadedAddresses)
  return {
    signature,
    slot,
    timestamp: blockTime === null ? null : new Date(blockTime * 1_000).toISOString(),
    succeeded: meta.err === null,
    /** Finalized, as far as the tables know. */
    final: known.final,
    fee: String(meta.fee),
    computeUnits: meta.computeUnitsConsumed ?? null,
    feePayer: message.staticKeys[0]!,
    instructions: messageInstructions(message, meta.loadedAddresses),
    innerInstructions: innerInstructions(accounts, meta.innerInstructions ?? []),
    balances: accounts.map(({ pubkey }, i) => ({
      account: pubkey,
      before: String(meta.preBalances[i] ?? 0),
      after: String(meta.postBalances[i] ?? 0),
    })),
    tokenBalances: tokenChanges(accounts, meta.preTokenBalances ?? [], meta.postTokenBalances ?? []),
    logs: meta.logMessages ?? null,
  }
}

/** In order of execution. Leaves out those whose program is in a lookup table that is not known. */
export const innerInstructions = (accounts: readonly AccountMeta[], groups: readonly InnerGroup[]) =>
  groups.flatMap(({ index, instructions }) =>
    instructions.flatMap(({ programIdIndex, accounts: indexes, data, stackHeight }) => {
      const program = accounts[programIdIndex]
      if (program === undefined) return []
      return {
        /** The number of the instruction of the message, from 1. */
        instruction: index + 1,
        depth: (stackHeight ?? 2) - 1,
        programId: program.pubkey,
        accounts: (indexes ?? []).flatMap((at) => accounts[at] ?? []),
        /** Base-58. */
        data,
      }
    }),
  )

/** Decoding base-58 takes quadratic time, and a program may invoke 64 others with 10 KiB each. */
const MAX_INNER_DATA = 1_024

/** The data of an inner instruction in base64. Null if it is too long. */
export function innerData({ data }: InnerInstruction): string | null {
  const bytes = data.length > MAX_INNER_DATA ? null : decodeBase58(data)
  return bytes && Buffer.from(bytes).toString('base64')
}

/** Null for a transaction that neither called the registry nor was sent by the relay. */
async function findFinality(kysely: Kysely<Database>, signature: string) {
  if (signatureBytes(signature) === null) return null
  const { rows } = await sql<{ final: boolean }>`
    select finality = 'finalized' as final from ledger_transactions where signature = ${signature}
    union all select settled from prepared_transactions where signature = ${signature}
    order by final desc limit 1`.execute(kysely)
  return rows[0] ?? null
}

/** An account that did not exist before or after has a balance of 0 then. */
function tokenChanges(
  accounts: readonly AccountMeta[],
  before: readonly TokenBalance[],
  after: readonly TokenBalance[],
) {
  const amountIn = (balances: readonly TokenBalance[], index: number): string =>
    balances.find(({ accountIndex }) => accountIndex === index)?.uiTokenAmount.amount ?? '0'
  const known = new Map([...before, ...after].map((each) => [each.accountIndex, each]))
  return [...known].flatMap(([index, { mint, owner, uiTokenAmount }]) => {
    const account = accounts[index]?.pubkey
    if (account === undefined) return []
    const { decimals } = uiTokenAmount
    const amounts = { before: amountIn(before, index), after: amountIn(after, index) }
    return [{ account, owner: owner ?? null, mint, decimals, ...amounts }]
  })
}

/** The addresses that a node read from the lookup tables of a transaction. */
interface LoadedAddresses {
  readonly writable: readonly Pubkey[]
  readonly readonly: readonly Pubkey[]
}

/** All accounts of a message in order, first its own, then those of lookup tables. */
export function messageAccounts(message: Message, loaded?: LoadedAddresses | null): AccountMeta[] {
  const { writable, readonly: fixed } = loaded ?? { writable: [], readonly: [] }
  return [
    ...staticAccounts(message),
    ...writable.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    ...fixed.map((pubkey) => ({ pubkey, isSigner: false, isWritable: false })),
  ]
}

export function preparedInstructions(record: TransactionRecord) {
  return messageInstructions(preparedMessage(record))
}

/** Accounts of lookup tables are left out if the addresses of the tables are not given. */
export function messageInstructions(message: Message, loaded?: LoadedAddresses | null) {
  const keys = messageAccounts(message, loaded)
  return message.instructions.map(({ programIdIndex, accounts, data }) => ({
    // A program is never in a lookup table.
    programId: keys[programIdIndex]!.pubkey,
    accounts: [...accounts].flatMap((index) => keys[index] ?? []),
    /** Base64. */
    data: Buffer.from(data).toString('base64'),
  }))
}
