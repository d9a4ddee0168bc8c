import type { Pubkey } from '@agent-registry/solana'

/** An open session. Times are ISO 8601. */
export interface Session {
  /** base64url SHA-256 of the token. */
  readonly tokenHash: string
  readonly wallet: Pubkey
  readonly createdAt: string
  /** Exact to a minute. */
  readonly lastUsedAt: string
  readonly expiresAt: string
}

/** Who sends a request. `session` is null if the wallet signed the request itself. */
export interface Caller {
  readonly wallet: Pubkey
  readonly session: Session | null
}
