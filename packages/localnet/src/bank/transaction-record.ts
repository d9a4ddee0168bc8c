import { MEMO_PROGRAMS, type Pubkey, type WireTransaction } from '@agent-registry/solana'
import type { InnerInstructions, ReturnData } from '../vm/execution.ts'
import type { TransactionError } from '../vm/transaction-errors.ts'
import type { TokenBalance } from './token-balances.ts'

/** The member `meta` of getTransaction. Amounts are lamports. */
export interface TransactionMeta {
  readonly err: TransactionError | null
  readonly status: { readonly Ok: null } | { readonly Err: TransactionError }
  readonly fee: number
  readonly preBalances: readonly number[]
  readonly postBalances: readonly number[]
  readonly innerInstructions: readonly InnerInstructions[]
  readonly logMessages: readonly string[]
  readonly preTokenBalances: readonly TokenBalance[]
  readonly postTokenBalances: readonly TokenBalance[]
  readonly rewards: readonly never[]
  readonly loadedAddresses: { readonly writable: readonly Pubkey[]; readonly readonly: readonly Pubkey[] }
  readonly returnData?: ReturnData
  readonly computeUnitsConsumed: number
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
