import type { Keypair } from '@solana/web3.js'
import type { AccountImage, Deployment, Pubkey } from '@agent-registry/solana'
import type { Logger } from './logger.ts'
import type { Account } from './vm/account.ts'

/** The source of time. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** The content of a new ledger. For an existing ledger, only the keys are used. */
export interface GenesisOptions {
  /** Pays for airdrops. It starts with 9 million SOL, which is still exact as a JSON number. */
  readonly faucet: Keypair
  /** An SPL Token mint of 6 decimals for `localnet_mintUsdc`. */
  readonly usdcMint?: Keypair
  readonly usdcMintAuthority?: Keypair
  /** The time of the ledger minus the wall clock. */
  readonly clockOffsetSeconds?: number
  readonly programs?: readonly Omit<Deployment, 'slot'>[]
  readonly accounts?: ReadonlyMap<Pubkey, Account>
}

export interface LedgerOptions {
  /** The directory of the ledger. With null, the ledger is in memory. */
  readonly dataDir: string | null
  readonly genesis: GenesisOptions
  /** Accounts to write at every start, also to an existing ledger. They get the rent they need. */
  readonly accounts?: readonly AccountImage[]
  /** The number of slots until a block is finalized. Default 32. With 1, confirmed is finalized. */
  readonly finalizedDepth?: number
  readonly clock?: Clock
  /** The default writes warnings and errors to standard error. */
  readonly logger?: Logger
}

export interface LocalnetOptions extends LedgerOptions {
  /** The HTTP port. The WebSocket port is the next one. Default 0: two free ports. */
  readonly port?: number
  /** The length of a slot. Default 400. With 0, only `stepSlot` starts slots. */
  readonly slotMs?: number
}
