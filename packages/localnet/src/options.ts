import type { Keypair } from '@solana/web3.js'
import type { Pubkey } from '@agent-registry/solana'
import type { ProgramDeployment } from './loader-accounts.ts'
import type { Logger } from './logger.ts'
import type { Account } from './vm/account.ts'

/** The source of time, so that tests can set it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** What a new ledger starts with. On a ledger that exists already only the keys are used. */
export interface GenesisOptions {
  /** Pays for airdrops and mintings. Holds 9 million SOL at genesis, which JSON numbers still show exactly. */
  readonly faucet: Keypair
  /** Where genesis creates an SPL mint of 6 decimals, which `localnet_mintUsdc` mints from. */
  readonly usdcMint?: Keypair
  readonly usdcMintAuthority?: Keypair
  /** How far the ledger's time starts off the wall clock. */
  readonly clockOffsetSeconds?: number
  readonly programs?: readonly ProgramDeployment[]
  readonly accounts?: ReadonlyMap<Pubkey, Account>
}

export interface LocalnetOptions {
  /** Where the ledger is kept; null keeps it in memory. */
  readonly dataDir: string | null
  readonly genesis: GenesisOptions
  /** HTTP; the WebSocket is at the next one. 0, the default, takes a free pair. */
  readonly port?: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Default 400. With 0 slots pass only by `stepSlot`. */
  readonly slotMs?: number
  /** Slots until confirmed, at least 1. Default 1. */
  readonly confirmedDepth?: number
  /** Slots until finalized. Default 32. */
  readonly finalizedDepth?: number
  /** Default 51,200: that of a Solana node. */
  readonly maxBodyBytes?: number
  readonly clock?: Clock
  readonly logger?: Logger
}
