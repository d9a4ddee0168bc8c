import { type Pubkey, SYSTEM_PROGRAM } from '@agent-registry/solana'

/** An account without lamports does not exist. */
export interface Account {
  readonly lamports: bigint
  readonly owner: Pubkey
  readonly data: Uint8Array
  readonly executable: boolean
  readonly rentEpoch: bigint
}

/** Returns the account in some state of the ledger, or null if it does not exist. */
export type AccountReader = (key: Pubkey) => Account | null

export const EMPTY_ACCOUNT: Account = {
  lamports: 0n,
  owner: SYSTEM_PROGRAM,
  data: new Uint8Array(),
  executable: false,
  rentEpoch: 0n,
}
