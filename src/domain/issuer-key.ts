import type { Pubkey } from '@agent-registry/solana'
/** An Ed25519 key by which an issuer of credentials may sign. */
export interface IssuerKey {
  /** The DID URL that a proof names. */
  readonly verificationMethod: string
  readonly key: Pubkey
}
