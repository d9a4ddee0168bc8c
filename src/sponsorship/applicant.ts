import type { Pubkey } from '@agent-registry/solana'
import type { SponsorshipKind } from '../domain/sponsorship.ts'

/** Who asks to be sponsored. */
export interface SponsorshipRequest {
  readonly kind: SponsorshipKind
  readonly wallet: Pubkey
  /** Of a registration: of the invite code, null where none can be. */
  readonly codeHash: string | null
  /** As `clientNetwork` says it. */
  readonly clientNetwork: string
}
