import type { Pubkey } from '../../domain/pubkey.ts'
import type { Account } from '../vm/account.ts'
import type { Execution } from '../vm/execution.ts'
import type { Vm } from '../vm/vm.ts'
import type { WireTransaction } from '../../ledger/wire/transaction.ts'
import { type AccountKeys, accountKeys } from './account-keys.ts'
import { tokenBalances } from './token-balances.ts'
import type { TransactionMeta } from './transaction-record.ts'

export interface Outcome {
  readonly execution: Execution
  readonly keys: AccountKeys
  /** The accounts that the transaction may write, as they were before. */
  readonly before: ReadonlyMap<Pubkey, Account | null>
  /** Null when the transaction did not even pay its fee: it leaves no trace on the ledger. */
  readonly meta: TransactionMeta | null
}

/** Runs a transaction in the VM and describes what it did. */
export function execute(vm: Vm, transaction: WireTransaction): Outcome {
  const read = (key: Pubkey): Account | null => vm.getAccount(key)
  const keys = accountKeys(transaction.message, read)
  const pre = keys.all.map(read)
  const preTokenBalances = tokenBalances(pre, read)
  const execution = vm.execute(transaction.bytes)
  const post = keys.all.map((key, index) => (keys.writable.has(key) ? read(key) : (pre[index] ?? null)))
  const before = new Map<Pubkey, Account | null>()
  for (const [index, key] of keys.all.entries())
    if (keys.writable.has(key)) before.set(key, pre[index] ?? null)
  // Instructions only move lamports around; what is missing afterwards is the fee.
  const fee = total(pre) - total(post)
  if (execution.err !== null && fee === 0n) return { execution, keys, before, meta: null }
  const meta: TransactionMeta = {
    err: execution.err,
    status: execution.err === null ? { Ok: null } : { Err: execution.err },
    fee: Number(fee),
    preBalances: pre.map(lamports),
    postBalances: post.map(lamports),
    innerInstructions: execution.innerInstructions,
    logMessages: execution.logs,
    preTokenBalances,
    postTokenBalances: tokenBalances(post, read),
    rewards: [],
    loadedAddresses: keys.loaded,
    ...(execution.returnData === null ? {} : { returnData: execution.returnData }),
    computeUnitsConsumed: execution.computeUnitsConsumed,
  }
  return { execution, keys, before, meta }
}

function total(accounts: readonly (Account | null)[]): bigint {
  return accounts.reduce((sum, account) => sum + (account?.lamports ?? 0n), 0n)
}

function lamports(account: Account | null): number {
  return Number(account?.lamports ?? 0n)
}
