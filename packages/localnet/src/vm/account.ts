import type { Pubkey } from '@agent-registry/solana'
/** An account as the ledger holds it. Lamports and the rent epoch are u64. An account of 0 lamports does not exist. */
export interface Account {
  readonly lamports: bigint
  readonly owner: Pubkey
  readonly data: Uint8Array
  readonly executable: boolean
  readonly rentEpoch: bigint
}
