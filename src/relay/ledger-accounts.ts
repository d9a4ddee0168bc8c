import { type Pubkey, pubkeyFromBytes, TOKEN_PROGRAM } from '@agent-registry/solana'
import type { LedgerCalls } from '../ledger/rpc/ledger-rpc.ts'

export interface LedgerAccount {
  readonly lamports: number
  readonly owner: string
  readonly data: readonly [base64: string, encoding: 'base64']
  /** Bytes of the data. */
  readonly space?: number
}

/** Longer than every account of the registry, so that an account of 10 MB is not transferred. */
const MAX_BYTES = 512

/** Reads accounts at `confirmed`, in one call. Null for an account that does not exist. */
export async function readAccounts(
  rpc: LedgerCalls,
  keys: readonly Pubkey[],
): Promise<readonly (LedgerAccount | null)[]> {
  const { value } = await rpc.call<{ value: readonly (LedgerAccount | null)[] }>('getMultipleAccounts', [
    keys,
    { encoding: 'base64', commitment: 'confirmed', dataSlice: { offset: 0, length: MAX_BYTES } },
  ])
  return value
}

export interface TokenAccount {
  readonly mint: Pubkey
  readonly owner: Pubkey
  /** Base units. */
  readonly amount: bigint
  readonly isFrozen: boolean
}

const TOKEN_ACCOUNT_BYTES = 165
const OWNER_OFFSET = 32
const AMOUNT_OFFSET = 64
const STATE_OFFSET = 108
const FROZEN = 2

/** Null if this is not an account of SPL Token. */
export function tokenAccount(account: LedgerAccount | null | undefined): TokenAccount | null {
  const data = Buffer.from(account?.data[0] ?? '', 'base64')
  if (account?.owner !== TOKEN_PROGRAM || data.length !== TOKEN_ACCOUNT_BYTES) return null
  return {
    mint: pubkeyFromBytes(data.subarray(0, OWNER_OFFSET)),
    owner: pubkeyFromBytes(data.subarray(OWNER_OFFSET, AMOUNT_OFFSET)),
    amount: data.readBigUInt64LE(AMOUNT_OFFSET),
    isFrozen: data[STATE_OFFSET] === FROZEN,
  }
}
