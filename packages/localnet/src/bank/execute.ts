import { MEMO_PROGRAMS, type Pubkey, type WireTransaction } from '@agent-registry/solana'
import type { Account, AccountReader } from '../vm/account.ts'
import type { Vm } from '../vm/vm.ts'
import { accountKeys } from './account-keys.ts'
import { advancedNonceAccount, advanceNonce, withNonceRules } from './durable-nonce.ts'
import type { LedgerView } from './ledger-view.ts'
import { chargeLoadFailure, nameLoadFailure } from './load-failure.ts'
import { tokenBalances } from '../vm/token-accounts.ts'

/** The member `meta` of getTransaction. Amounts are lamports. */
export type TransactionMeta = NonNullable<ReturnType<typeof execute>['meta']>

/**
 * Runs a transaction in the VM. `before` contains the accounts that it wrote, in their state before
 * it. `meta` is null if the transaction did not pay its fee. Such a transaction is not in the
 * ledger.
 */
export function execute(vm: Vm, { message, bytes }: WireTransaction, view: LedgerView) {
  const read: AccountReader = (key) => vm.getAccount(key)
  const keys = accountKeys(message, read)
  const pre = keys.all.map(read)
  const preTokenBalances = tokenBalances(pre, read)
  const blockhashes = { own: message.blockhash, last: view.tip.blockhash }
  const run = () => vm.execute(bytes, keys.idle)
  const execution = nameLoadFailure(withNonceRules(vm, keys.all, blockhashes, run), message, read)
  const { err, returnData } = execution
  chargeLoadFailure(vm, message, err)
  // The VM compiles a program when it sees the account, which may be before it sees the new code.
  const written = [...keys.writable].map((key) => [key, read(key)] as const)
  vm.setAccounts(written.filter(([, account]) => account?.executable === true))
  const post = keys.all.map((key, index) => (keys.writable.has(key) ? read(key) : (pre[index] ?? null)))
  const isDurable = !view.isBlockhashValid(message.blockhash)
  const nonceAccount = isDurable ? advancedNonceAccount(message) : null
  const before = new Map<Pubkey, Account | null>()
  for (const [index, key] of keys.all.entries()) {
    // A failed transaction only changes the fee payer and its nonce account.
    const isWritten = err === null ? keys.writable.has(key) : index === 0 || key === nonceAccount
    if (isWritten) before.set(key, pre[index] ?? null)
  }
  // Instructions do not change the sum of all balances, so the difference is the fee.
  const fee = total(pre) - total(post)
  if (err !== null && fee === 0n) return { err, keys, before, meta: null }
  if (err !== null && nonceAccount !== null) advanceNonce(vm, nonceAccount, view.tip.blockhash)
  const meta = {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee: Number(fee),
    preBalances: pre.map(lamports),
    postBalances: post.map(lamports),
    innerInstructions: execution.innerInstructions,
    logMessages: execution.logs,
    preTokenBalances,
    postTokenBalances: tokenBalances(post, read),
    rewards: [] as never[],
    loadedAddresses: keys.loaded,
    returnData: returnData ?? undefined,
    computeUnitsConsumed: execution.computeUnitsConsumed,
  }
  return { err, keys, before, meta }
}

function total(accounts: readonly (Account | null)[]): bigint {
  return accounts.reduce((sum, account) => sum + (account?.lamports ?? 0n), 0n)
}

function lamports(account: Account | null): number {
  return Number(account?.lamports ?? 0n)
}

/** A transaction in a block, or in the current slot. */
export interface TransactionRecord {
  readonly slot: number
  /** The position in the block, from 0. */
  readonly index: number
  /** Unix seconds. */
  readonly blockTime: number
  readonly signature: string
  readonly wire: Uint8Array
  readonly keys: readonly Pubkey[]
  readonly meta: TransactionMeta
  readonly memo: string | null
}

/** The memos of a transaction, as in getSignaturesForAddress: `[bytes] text`, joined by "; ". */
export function memoOf({ message }: WireTransaction): string | null {
  const memos = message.instructions
    .filter((each) => MEMO_PROGRAMS.some((program) => program === message.staticKeys[each.programIdIndex]))
    .map((each) => `[${each.data.length}] ${Buffer.from(each.data).toString('utf8')}`)
  return memos.length === 0 ? null : memos.join('; ')
}
