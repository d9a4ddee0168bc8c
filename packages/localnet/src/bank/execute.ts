import type { Pubkey, WireTransaction } from '@agent-registry/solana'
import type { Account } from '../vm/account.ts'
import type { Execution } from '../vm/execution.ts'
import type { Vm } from '../vm/vm.ts'
import { type AccountKeys, accountKeys } from './account-keys.ts'
import { chargeLoadFailure, nameLoadFailure } from './load-failure.ts'
import { tokenBalances } from './token-balances.ts'
import type { TransactionMeta } from './transaction-record.ts'

export interface Outcome {
  readonly execution: Execution
  readonly keys: AccountKeys
  /** The accounts that the transaction wrote, as they were before. */
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
  const execution = nameLoadFailure(vm.execute(transaction.bytes, keys.idle), transaction.message, read)
  chargeLoadFailure(vm, transaction.message, execution.err)
  // The VM compiles a program as soon as it sees its account, which may be before it sees the new code.
  const written = [...keys.writable].map((key) => [key, read(key)] as const)
  vm.setAccounts(written.filter(([, account]) => account?.executable === true))
  const post = keys.all.map((key, index) => (keys.writable.has(key) ? read(key) : (pre[index] ?? null)))
  const before = new Map<Pubkey, Account | null>()
  for (const [index, key] of keys.all.entries()) {
    // A failed transaction only takes the fee.
    const isWritten = execution.err === null ? keys.writable.has(key) : index === 0
    if (isWritten) before.set(key, pre[index] ?? null)
  }
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
