import { MEMO_PROGRAMS, type Pubkey, type WireTransaction } from '@agent-registry/solana'
import type { TransactionMeta } from './execute.ts'

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
